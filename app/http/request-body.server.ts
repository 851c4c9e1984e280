import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { z } from "zod";
import type { BodyTask } from "~/core/body-task";
import { SilenceClock } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { FormFields, readFields } from "~/core/form-fields";
import { log } from "~/core/log.server";
import { decodeJson } from "~/core/parse";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { sendProblem } from "./send-response.server";
import { toProblem } from "./status.server";

/** Default, and limit of forms that aren't multipart, in bytes. */
export const DEFAULT_BODY_BYTES = 1024 * 1024;
/** For all addresses, in bytes: above every declared limit, so that what is beyond one is refused by its own words. */
const BODY_CEILING = 4_000_000_000;

export function formatLimit(bytes: number): string {
  return bytes >= 1_000_000_000 ? `${bytes / 1_000_000_000} GB` : `${bytes / 2 ** 20} MB`;
}

/** Larger bodies are parsed in a thread (bytes): smaller ones take up to 8 ms. */
const MAX_INLINE_JSON = 256 * 1024;
const MAX_INLINE_FORM = 64 * 1024;

const pool = new WorkerPool<BodyTask, unknown>({
  name: "body",
  entry: bundledWorker("body"),
  output: z.unknown(),
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 512,
  maxQueue: 50,
});

/** Bytes of a refused body that are discarded: closing at once would lose the response. */
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
 * Counts what a call holds in memory until it is answered.
 * @returns takes further bytes @throws AppError `unavailable` with many large calls at once
 */
export function countHeld(afterwards: (run: () => void) => void): (bytes: number) => void {
  let size = 0;
  afterwards(() => {
    held -= size;
    size = 0;
  });
  return (bytes) => {
    size += bytes;
    held += bytes;
    if (held > MAX_HELD)
      throw new AppError("unavailable", "Too many large requests at once. Try again in a moment.", {
        retryAfter: 1,
      });
  };
}

/**
 * Reads a body as it was sent.
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
  const take = countHeld(afterwards);
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
  maxBytes?: number | undefined;
  /** Whether no body, an empty one and `null` mean `{}`. */
  isOptional?: boolean;
}

/**
 * Reads a request's JSON body.
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
  const value = bytes.byteLength <= MAX_INLINE_JSON ? decodeJson(bytes) : await pool.run({ bytes });
  return isOptional && value === null ? {} : value;
}

export const isMultipart = (contentType: string | null | undefined) =>
  /^multipart\/form-data\b/i.test(contentType ?? "");

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
  const limit = isMultipart(contentType) ? maxBytes : Math.min(maxBytes, DEFAULT_BODY_BYTES);
  const limits = { limit, discard: MAX_DISCARDED, tooLarge: () => formTooLarge(limit) };
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) return { form: new FormData(), size: 0 };
  const fields =
    bytes.byteLength <= MAX_INLINE_FORM
      ? await readFields(bytes, contentType)
      : FormFields.parse(await pool.run({ bytes, contentType }));
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value ?? new File(["-"], ""));
  return { form, size: bytes.byteLength };
}

/** Discards a refused body, because closing immediately would lose the response. @param max in bytes */
export function drain(request: IncomingMessage, max = MAX_DISCARDED): void {
  if (request.complete || request.destroyed) return;
  // Whoever read it may have stopped, and would hold it back.
  request.removeAllListeners("data");
  let rest = max;
  const timer = setTimeout(() => request.destroy(), SILENCE_TIMEOUT);
  request.on("data", (chunk: Buffer) => {
    timer.refresh();
    rest -= chunk.length;
    if (rest < 0) request.destroy();
  });
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

const MEGABYTE = 1_000_000;

/** Time for a client to read the answer, in ms. */
const CLOSE_MS = 1000;

interface SlowBodyLimits {
  /** Time for a small body, and for each megabyte of a large one, in ms. */
  megabyteMs?: number;
  /** Bodies that are still arriving count after this time (ms). A usual one arrives with its head. */
  countedAfterMs?: number;
  /** Such bodies at a time from an address without a session or token. */
  maxFromStranger?: number;
  /** The caller's address, or undefined with a valid session or token. */
  strangerOf: (request: IncomingMessage) => string | undefined;
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function refuse(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  // The answer may already be on its way, while the rest of the body is discarded.
  if (response.headersSent) return void request.socket.destroy();
  const problem = toProblem(error);
  const retryAfter = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  const headers = { "content-type": "application/problem+json", connection: "close", ...retryAfter };
  response.writeHead(problem.status, headers).end(JSON.stringify(problem), () => {
    // Closing a connection with unread bytes would lose the answer.
    request.resume();
    request.socket.end();
    setTimeout(() => request.socket.destroy(), CLOSE_MS).unref();
  });
}

/**
 * Ends requests whose body trickles in: each holds a connection and memory, and needs no account. A body has a minute
 * for each megabyte, and an address without a session or token sends few of them at a time.
 */
export function createSlowBodyLimit({
  megabyteMs = 60_000,
  countedAfterMs = 1000,
  maxFromStranger = 32,
  strangerOf,
}: SlowBodyLimits): (request: IncomingMessage, response: ServerResponse) => void {
  const arriving = new Map<string, number>();

  function count(request: IncomingMessage, response: ServerResponse): void {
    if (request.complete || request.destroyed) return;
    const address = strangerOf(request);
    if (address === undefined) return;
    const others = arriving.get(address) ?? 0;
    if (others >= maxFromStranger) {
      const message = `${maxFromStranger} bodies are still arriving from ${address}. Send this one once they are complete.`;
      refuse(request, response, new AppError("rate_limited", message, { retryAfter: 60 }));
      return;
    }
    arriving.set(address, others + 1);
    request.once("close", () => {
      const left = (arriving.get(address) ?? 1) - 1;
      if (left > 0) arriving.set(address, left);
      else arriving.delete(address);
    });
  }

  return (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    let before = socket.bytesRead;
    const clock = new SilenceClock(megabyteMs, () => {
      if (request.complete || request.destroyed) return;
      if (socket.bytesRead - before < MEGABYTE) {
        const message = "The request's body came too slowly. Send it again.";
        refuse(request, response, new AppError("timeout", message));
        return;
      }
      before = socket.bytesRead;
      clock.restart();
      clock.wait();
    });
    clock.wait();
    const countOnce = () => {
      try {
        count(request, response);
      } catch (error) {
        // The database can be closed for a restore meanwhile.
        log.warn("a slow body wasn't counted", { error });
      }
    };
    // In two steps: what arrived while the event loop was busy is read after the first.
    let counting = setTimeout(() => {
      counting = setTimeout(countOnce, countedAfterMs / 2).unref();
    }, countedAfterMs / 2).unref();
    request.once("close", () => {
      clock.stop();
      clearTimeout(counting);
    });
  };
}

/**
 * Limits bodies; endpoints declare lower limits. Unread bytes are discarded within bounds, since closing
 * the connection would lose the response.
 */
export const limitBody: RequestHandler = (request, response, next) => {
  let refused = false;
  const refuse = () => {
    refused = true;
    const error = new AppError("too_large", `The body is larger than ${formatLimit(BODY_CEILING)}.`);
    if (!response.headersSent) sendProblem(response, error);
    return error;
  };
  const length = Number(request.headers["content-length"] ?? 0);
  const drainRest = () => {
    if (request.complete || request.destroyed) return;
    // A refused upload is discarded to its end, other bodies up to a limit.
    const isUpload = !refused && length > 0 && isMultipart(request.headers["content-type"]);
    drain(request, isUpload ? length : undefined);
  };
  let answered = false;
  response.once("finish", () => {
    answered = true;
    drainRest();
  });
  if (length > BODY_CEILING) return void refuse();
  let received = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    received += chunk?.length ?? 0;
    if (received <= BODY_CEILING) return push(chunk, encoding);
    request.push = push;
    // The handler's read fails with this error, and its response is dropped.
    request.once("error", () => undefined).emit("error", refuse());
    if (answered) drainRest();
    return true;
  };
  next();
};
