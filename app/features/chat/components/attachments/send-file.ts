import { shrinkImage } from "./shrink-image";
import { type UploadResult, uploadAttachment } from "./upload-attachment";

/** Uploads one file, an image made small enough first. */
export async function sendFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadResult> {
  const shrunk = await shrinkImage(file);
  // It was removed meanwhile.
  if (signal.aborted) return { error: "The upload was canceled." };
  return uploadAttachment(shrunk, onProgress, signal);
}
