import { shrinkImage } from "./shrink-image";
import { type UploadResult, uploadAttachment } from "./upload-attachment";

/** Uploads a file, after shrinking a large image. */
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
