import { setImmediate as turn } from "node:timers/promises";
import type { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";

/** How deep a JSON document may nest. */
const MAX_DEPTH = 64;
/** Every other body, in bytes. */
const BODY_LIMIT = 1024 * 1024;
/**
 * A body that carries a text of 1,000,000 characters, in bytes: they take 3 each in a form and, where a program escapes
 * them all, 6 each in JSON.
 */
const TEXT_LIMIT = 10 * 1024 * 1024;
const UPLOAD_PATH = /^\/api\/rag\/(upload|documents\/[^/]+\/versions)$/;
const TEXT_PATH = /^\/api\/rag\/(ingest|documents\/[^/]+\/versions)$/;
const TEXT_SCREEN = /^\/rag(\/[^/]+)?(\.data)?$/;

const isMultipart = (contentType: string | undefined) => /^multipart\/form-data\b/i.test(contentType ?? "");

/**
 * What a body may hold, in bytes. Uploads are stored as they come and never held, everything else is. A form that isn't
 * multipart triples a text's bytes and takes long to read: of it the usual limit holds everywhere.
 */
export function bodyLimit(method: string, path: string, contentType: string | undefined): number {
  if (method !== "POST") return BODY_LIMIT;
  const multipart = isMultipart(contentType);
  if (multipart && UPLOAD_PATH.test(path)) return UPLOAD_LIMIT;
  return (multipart ? TEXT_SCREEN : TEXT_PATH).test(path) ? TEXT_LIMIT : BODY_LIMIT;
}

/** A limit as a person says it. */
export const limitWords = (limit: number) => (limit === UPLOAD_LIMIT ? "1 GB" : `${limit / 2 ** 20} MB`);

/** All of one upload, in bytes. */
const UPLOAD_LIMIT = 1_000_000_000;

/** Parses with a schema; a refusal names each field with its message. */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const issue of parsed.error.issues) {
    const name = issue.path.map(String).join(".");
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  const first = parsed.error.issues[0];
  const place = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  throw new AppError("invalid", `The ${what} is not valid: ${first?.message ?? "unknown reason"}${place}`, {
    fields,
  });
}

/** Refuses a document that nests too deep, before the parser's recursion meets it. */
function assertDepth(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new AppError("invalid", `The JSON nests deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** Where a string that begins at a quotation mark ends: at the next one that no odd number of backslashes escapes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === 0x5c) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

export function parseJson(text: string): unknown {
  assertDepth(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid JSON.", { cause: error });
  }
}

/** Reads a body, and no more of it than is allowed. */
async function readBytes({ body }: Request, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (!body) return new Uint8Array();
  for await (const piece of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    length += piece.byteLength;
    if (length > limit) throw new AppError("too_large", `The body is larger than ${limitWords(limit)}.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads a request's JSON body within the limit of its address. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media", "Send the body as application/json.");
  }
  const bytes = await readBytes(request, bodyLimit(request.method, new URL(request.url).pathname, type));
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid UTF-8.", { cause: error });
  }
  // A long text's bytes took their time: others come between them and its parsing.
  if (bytes.byteLength > BODY_LIMIT) await turn();
  return parseJson(text);
}
