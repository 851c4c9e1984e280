import { ATTACHMENT_LIMITS } from "../../attachments/limits.shared";

/** Formats that a canvas reads as one still image. */
const SHRINKABLE = /^image\/(?:png|jpeg|webp)$/;
/** Scale factor between attempts. */
const STEP = 0.75;
const ATTEMPTS = 6;
const QUALITY = 0.85;

interface Size {
  width: number;
  height: number;
}

/** Fits a size into the limits, keeping its ratio. */
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
