import type { PickedFile } from "./picked-files";

/** As many as the server takes in one request. */
const AT_ONCE = 100;

/** What became of an upload. */
export type UploadOutcome = { batch: string } | { problem: string };

interface Upload {
  /** Category and readers, as the form has them. */
  fields: [string, string][];
  files: readonly PickedFile[];
  /** Of all files together, 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** Sends files, a hundred in each request, all as one batch. */
export async function uploadFiles({ fields, files, onProgress, signal }: Upload): Promise<UploadOutcome> {
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  let before = 0;
  let batch = "";
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const some = files.slice(start, start + AT_ONCE);
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    if (batch) form.append("batch", batch);
    for (const { file, path } of some) form.append("files", file, path);
    const size = some.reduce((sum, { file }) => sum + file.size, 0);
    const answer = await send(form, (share) => onProgress((before + share * size) / all), signal);
    if ("problem" in answer) return answer;
    batch = answer.batch;
    before += size;
  }
  return { batch };
}

/** One request. `fetch` doesn't tell how much of a body has been sent. */
function send(
  form: FormData,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/rag/upload");
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => done(outcomeOf(request));
    request.onerror = () => done({ problem: "The console could not be reached." });
    request.onabort = () => done({ problem: "The upload was cancelled." });
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

function outcomeOf(request: XMLHttpRequest): UploadOutcome {
  const batch = request.getResponseHeader("X-Batch-Id");
  if (request.status < 300 && batch) return { batch };
  const { detail } = (request.response ?? {}) as { detail?: unknown };
  return { problem: typeof detail === "string" ? detail : `The console answered ${request.status}.` };
}
