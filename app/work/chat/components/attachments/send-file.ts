import { onAbort } from "~/core/abort";
import { withBase } from "~/core/base-path";
import { detailOf, UNREACHABLE } from "~/ui/failures";
import type { Attachment, UploadedAttachment } from "../../attachments/attachments.schema";
import { ATTACHMENT_LIMITS } from "../../attachments/limits.shared";

export async function sendFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadResult> {
  const shrunk = await shrinkImage(file);
  // The user removed the file in the meantime.
  if (signal.aborted) return { error: "The upload was canceled." };
  return uploadAttachment(shrunk, onProgress, signal);
}

const SHRINKABLE = /^image\/(?:png|jpeg|webp)$/;
const STEP = 0.75;
const ATTEMPTS = 6;
const QUALITY = 0.85;

interface Size {
  width: number;
  height: number;
}

export function fittedSize({ width, height }: Size): Size {
  const { imageShrunkSide, imagePixels } = ATTACHMENT_LIMITS;
  const scale = Math.min(
    1,
    imageShrunkSide / Math.max(width, height),
    Math.sqrt(imagePixels / (width * height)),
  );
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

const isTooLarge = ({ size }: Blob, { width, height }: Size): boolean => {
  const { imageSide, imagePixels, imageSentBytes } = ATTACHMENT_LIMITS;
  return size > imageSentBytes || Math.max(width, height) > imageSide || width * height > imagePixels;
};

function draw(bitmap: ImageBitmap, { width, height }: Size, type: string): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  // JPEG has no transparency: it would turn black.
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
  }
  context.drawImage(bitmap, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}

const renamed = (name: string, type: string) =>
  type === "image/jpeg" ? `${name.replace(/\.[^.]*$/, "")}.jpg` : name;

/** Shrinks an image for providers. Small and unreadable ones are returned unchanged: the server decides. */
export async function shrinkImage(file: File): Promise<File> {
  if (!SHRINKABLE.test(file.type)) return file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return file;
  try {
    if (!isTooLarge(file, bitmap)) return file;
    let size = fittedSize(bitmap);
    // A PNG of a photo stays large at any quality.
    const type = "image/jpeg";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = await draw(bitmap, size, type);
      if (!drawn) return file;
      if (!isTooLarge(drawn, size))
        return new File([drawn], renamed(file.name, type), { type, lastModified: file.lastModified });
      size = fittedSize({ width: size.width * STEP, height: size.height * STEP });
    }
    return file;
  } finally {
    bitmap.close();
  }
}

export type UploadResult = { attachment: Attachment } | { error: string };

function resultOf(request: XMLHttpRequest, name: string): UploadResult {
  const body: unknown = request.response;
  if (request.status === 201 && Array.isArray(body)) {
    const [file] = body as UploadedAttachment[];
    if (file?.attachment) return { attachment: file.attachment };
  }
  const detail = detailOf(request.status, body);
  return { error: detail.startsWith(`${name}: `) ? detail.slice(name.length + 2) : detail };
}

/** Uploads one file. `fetch` doesn't report progress. */
function uploadAttachment(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadResult> {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", withBase("/api/attachments"));
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => done(resultOf(request, file.name));
    request.onerror = () => done({ error: UNREACHABLE });
    request.onabort = () => done({ error: "The upload was canceled." });
    request.onloadend = onAbort(signal, () => request.abort());
    const form = new FormData();
    form.append("files", file, file.name);
    request.send(form);
  });
}
