import { BodyOutput, type BodyTask } from "~/core/body-task";
import { AppError } from "~/core/errors";
import { type FormField, readFields } from "~/core/form-fields";
import { decodeJson } from "~/core/json";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { bodyLimit, limitWords } from "./parse.server";

/** Larger bodies are read in a thread, in bytes: of JSON these take 8 ms at most, of a form a few. */
const JSON_READ_HERE = 256 * 1024;
const FORM_READ_HERE = 64 * 1024;

const pool = new WorkerPool<BodyTask, BodyOutput>({
  name: "body",
  entry: bundledWorker("body"),
  output: BodyOutput,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 512,
  maxQueue: 50,
});

async function apart<W extends BodyTask["work"]>(
  task: Extract<BodyTask, { work: W }>,
): Promise<Extract<BodyOutput, { work: W }>> {
  const output = await pool.run(task);
  const isExpected = (one: BodyOutput): one is Extract<BodyOutput, { work: W }> => one.work === task.work;
  if (isExpected(output)) return output;
  throw new AppError("internal", "A worker answered something else.");
}

/** Reads a body, and no more of it than its address allows. @throws AppError `too_large` */
async function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const { body, method, url, headers } = request;
  if (!body) return new Uint8Array();
  const limit = bodyLimit(method, new URL(url).pathname, headers.get("content-type") ?? undefined);
  for await (const piece of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    length += piece.byteLength;
    if (length > limit) throw new AppError("too_large", `The body is larger than ${limitWords(limit)}.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Reads a request's JSON body within the limit of its address.
 *
 * @throws AppError `unsupported_media`, `too_large`, `invalid`; `unavailable` when too many large ones are being read
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media", "Send the body as application/json.");
  }
  const bytes = await readBytes(request);
  if (bytes.byteLength <= JSON_READ_HERE) return decodeJson(bytes);
  return (await apart({ work: "json", bytes })).value;
}

/**
 * Reads a screen's form within the limit of its address. The lines of a text end with one character each.
 *
 * @throws AppError as `readJson`
 */
export async function readForm(request: Request): Promise<FormData> {
  const contentType = request.headers.get("content-type") ?? "";
  const bytes = await readBytes(request);
  const fields: FormField[] =
    bytes.byteLength <= FORM_READ_HERE
      ? await readFields(bytes, contentType)
      : (await apart({ work: "form", bytes, contentType })).fields;
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value ?? new File(["-"], ""));
  return form;
}

/** A long text as the content of a textarea, made in the thread. */
export async function writeTextarea(text: string): Promise<Uint8Array> {
  return (await apart({ work: "textarea", text })).bytes;
}
