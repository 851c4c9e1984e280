import { onAbort } from "~/core/abort";
import { withBase } from "~/core/base-path";
import { detailOf, UNREACHABLE } from "~/ui/failures";
import type { PickedFile } from "./add-files";

const FILES_PER_REQUEST = 100;
/** Bytes per request: a failed request has to be sent again. */
const BYTES_PER_REQUEST = 200_000_000;

/** A file whose content is in the library, and its name there. */
interface KnownFile {
  name: string;
  duplicateOf: string;
}

/** The result of an upload. `unsent` files can be retried as part of `batch`. */
type UploadOutcome =
  | { batch: string; problem?: undefined; known: readonly KnownFile[] }
  | { batch: string | undefined; problem: string; unsent: readonly PickedFile[] };

interface Upload {
  fields: [string, string][];
  batch?: string | undefined;
  files: readonly PickedFile[];
  onProgress: (fraction: number) => void;
  signal: AbortSignal;
}

const sizeOf = (files: readonly PickedFile[]) => files.reduce((sum, { file }) => sum + file.size, 0);

function takeBatch(files: readonly PickedFile[], start: number): readonly PickedFile[] {
  let end = start;
  let size = 0;
  for (const { file } of files.slice(start, start + FILES_PER_REQUEST)) {
    size += file.size;
    if (end > start && size > BYTES_PER_REQUEST) break;
    end += 1;
  }
  return files.slice(start, end);
}

export async function uploadFiles({
  fields,
  files,
  onProgress,
  signal,
  ...more
}: Upload): Promise<UploadOutcome> {
  const totalBytes = sizeOf(files);
  let sentBytes = 0;
  let { batch } = more;
  const known: KnownFile[] = [];
  for (
    let start = 0, batchFiles = takeBatch(files, 0);
    batchFiles.length > 0;
    batchFiles = takeBatch(files, start)
  ) {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    if (batch) form.append("batch", batch);
    for (const { file, path } of batchFiles) form.append("files", file, path);
    const size = sizeOf(batchFiles);
    const outcome = await send(
      form,
      (fraction) => onProgress((sentBytes + fraction * size) / totalBytes),
      signal,
    );
    // Files uploaded before the failure are recognized as duplicates on the next attempt.
    if ("problem" in outcome) return { batch, problem: outcome.problem, unsent: files.slice(start) };
    batch = outcome.batch;
    known.push(...outcome.known);
    sentBytes += size;
    start += batchFiles.length;
  }
  return batch ? { batch, known } : { batch, problem: "No files to upload.", unsent: [] };
}

type RequestOutcome = { batch: string; known: readonly KnownFile[] } | { problem: string };

/** Uses XMLHttpRequest, since `fetch` doesn't report upload progress. */
function send(
  form: FormData,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", withBase("/api/rag/upload"));
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => done(outcomeOf(request));
    request.onerror = () => done({ problem: UNREACHABLE });
    request.onabort = () => done({ problem: "The upload was canceled." });
    request.onloadend = onAbort(signal, () => request.abort());
    request.send(form);
  });
}

function outcomeOf(request: XMLHttpRequest): RequestOutcome {
  const batch = request.getResponseHeader("X-Batch-Id");
  if (request.status < 300 && batch) return { batch, known: knownIn(request.response) };
  return { problem: detailOf(request.status, request.response) };
}

function knownIn(files: unknown): readonly KnownFile[] {
  if (!Array.isArray(files)) return [];
  return files.filter((file) => typeof file?.name === "string" && typeof file.duplicateOf === "string");
}
