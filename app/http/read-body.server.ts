import { BodyOutput, type BodyTask } from "~/core/body-task";
import { AppError } from "~/core/errors";
import { type FormField, readFields } from "~/core/form-fields";
import { decodeJson } from "~/core/json";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { DEFAULT_BODY_BYTES, formatLimit } from "./body-limits";

/** Larger bodies are parsed in a thread (bytes): smaller ones take up to 8 ms. */
const MAX_INLINE_JSON = 256 * 1024;
const MAX_INLINE_FORM = 64 * 1024;

const pool = new WorkerPool<BodyTask, BodyOutput>({
  name: "body",
  entry: bundledWorker("body"),
  output: BodyOutput,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 512,
  maxQueue: 50,
});

async function inWorker<W extends BodyTask["work"]>(
  task: Extract<BodyTask, { work: W }>,
): Promise<Extract<BodyOutput, { work: W }>> {
  const output = await pool.run(task);
  const isExpected = (one: BodyOutput): one is Extract<BodyOutput, { work: W }> => one.work === task.work;
  if (isExpected(output)) return output;
  throw new AppError("internal", "A worker sent an invalid response.");
}

/** Discarded bytes of an oversized form. */
const MAX_DISCARDED = 64 * 1024 * 1024;

interface ReadLimits {
  limit: number;
  /** Bytes to discard beyond the limit: some browsers send everything before reading the response. */
  discard?: number;
  tooLarge: () => AppError;
  /** May refuse more. @param length of a piece, in bytes */
  take?: (length: number) => void;
}

/** Time without data within a body, in ms. */
const SILENCE_TIMEOUT = 30_000;

/** Buffers a body up to its limit. Canceling the rest would close the connection and lose the response. */
async function readBytes(
  request: Request,
  { limit, discard = 0, tooLarge, take }: ReadLimits,
): Promise<Buffer<ArrayBuffer>> {
  if (!request.body) return Buffer.alloc(0);
  if (Number(request.headers.get("content-length") ?? 0) > limit && discard === 0) throw tooLarge();
  const pieces: Uint8Array[] = [];
  const reader = request.body.getReader();
  let length = 0;
  let isSilent = false;
  const silence = setTimeout(() => {
    isSilent = true;
    reader.releaseLock();
  }, SILENCE_TIMEOUT);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      silence.refresh();
      length += next.value.byteLength;
      take?.(next.value.byteLength);
      if (length <= limit) pieces.push(next.value);
      else pieces.length = 0;
      if (length > limit + discard) break;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (isSilent) throw new AppError("invalid", "The request body is incomplete. Send it again.");
    throw new AppError("cancelled", "The client closed the connection.", { cause });
  } finally {
    clearTimeout(silence);
    reader.releaseLock();
  }
  if (length > limit) throw tooLarge();
  return Buffer.concat(pieces);
}

const bodyTooLarge = (maxBytes: number) => () =>
  new AppError("too_large", `The body is larger than ${formatLimit(maxBytes)}.`);

/** For all raw bodies that are being answered (bytes). */
const MAX_HELD = 256 * 1024 * 1024;
let held = 0;

const announcesBody = ({ headers }: Request) =>
  headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;

/**
 * Reads a body as it was sent.
 *
 * @param options.afterwards frees its memory
 * @throws AppError `unsupported_media`, `too_large`, `invalid`, `cancelled`; `unavailable` with many large ones at once
 */
export async function readRaw(
  request: Request,
  {
    maxBytes = DEFAULT_BODY_BYTES,
    isJson,
    afterwards,
  }: { maxBytes?: number | undefined; isJson: boolean; afterwards(run: () => void): void },
): Promise<Buffer> {
  if (isJson && !isJsonType(request)) throw notJson();
  if (isJson) assertNotEncoded(request);
  // A `Request` has none with GET, and who signed or sent one must not believe that it was read.
  if (!request.body && announcesBody(request))
    throw new AppError(
      "invalid",
      `A ${request.method} call can't have a body here. Send it without one, or by another method.`,
    );
  let size = 0;
  afterwards(() => {
    held -= size;
    size = 0;
  });
  const take = (length: number) => {
    size += length;
    held += length;
    if (held > MAX_HELD)
      throw new AppError("unavailable", "Too many large requests at once. Try again in a moment.", {
        retryAfter: 1,
      });
  };
  return readBytes(request, { limit: maxBytes, tooLarge: bodyTooLarge(maxBytes), take });
}

function isJsonType({ headers }: Request): boolean {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || type.endsWith("+json");
}

function assertNotEncoded({ headers }: Request): void {
  if ((headers.get("content-encoding") ?? "identity") === "identity") return;
  throw new AppError("unsupported_media", "Send the body without a content encoding.");
}

const notJson = () => new AppError("unsupported_media", "Send the body as application/json.");

interface JsonOptions {
  /** The endpoint's limit. */
  maxBytes?: number | undefined;
  /** Whether no body, an empty one and `null` mean `{}`. */
  isOptional?: boolean;
}

/**
 * Reads a request's JSON body.
 *
 * @throws AppError `unsupported_media`, `too_large`, `invalid`; `unavailable` when too many large ones are being read
 */
export async function readJson(
  request: Request,
  { maxBytes = DEFAULT_BODY_BYTES, isOptional = false }: JsonOptions = {},
): Promise<unknown> {
  const isJson = isJsonType(request);
  if (!isJson && !isOptional) throw notJson();
  assertNotEncoded(request);
  const bytes = await readBytes(request, { limit: maxBytes, tooLarge: bodyTooLarge(maxBytes) });
  if (isOptional && bytes.byteLength === 0) return {};
  if (!isJson) throw notJson();
  const value = await parseJson(bytes);
  return isOptional && value === null ? {} : value;
}

async function parseJson(bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  if (bytes.byteLength <= MAX_INLINE_JSON) return decodeJson(bytes);
  return (await inWorker({ work: "json", bytes })).value;
}

export function formTooLarge(maxBytes: number): AppError {
  return new AppError(
    "too_large",
    `The form is larger than ${formatLimit(maxBytes)}. Nothing was saved. Go back in your browser and shorten it, or upload the text as a file.`,
  );
}

/**
 * Reads a form and normalizes line ends.
 * @param maxBytes of a multipart form; other forms have the default limit
 * @returns the form and its length in bytes
 * @throws AppError as `readJson`
 */
export async function readForm(
  request: Request,
  maxBytes = DEFAULT_BODY_BYTES,
): Promise<{ form: FormData; size: number }> {
  const contentType = request.headers.get("content-type") ?? "";
  const limit = /^multipart\/form-data\b/i.test(contentType)
    ? maxBytes
    : Math.min(maxBytes, DEFAULT_BODY_BYTES);
  const limits = { limit, discard: MAX_DISCARDED, tooLarge: () => formTooLarge(limit) };
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) return { form: new FormData(), size: 0 };
  const fields: FormField[] =
    bytes.byteLength <= MAX_INLINE_FORM
      ? await readFields(bytes, contentType)
      : (await inWorker({ work: "form", bytes, contentType })).fields;
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value ?? new File(["-"], ""));
  return { form, size: bytes.byteLength };
}
