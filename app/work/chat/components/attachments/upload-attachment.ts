import { onAbort } from "~/core/abort";
import { detailOf, UNREACHABLE } from "~/ui/failures";
import type { Attachment, UploadedAttachment } from "../../attachments/attachments.schema";

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
export function uploadAttachment(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadResult> {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/attachments");
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
