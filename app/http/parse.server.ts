import type { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";

/** How deep a JSON document may nest. */
const MAX_DEPTH = 64;
/** Every body but an upload, in bytes. */
export const BODY_LIMIT = 1024 * 1024;
const UPLOAD_PATH = /^\/api\/rag\/(upload|documents\/[^/]+\/versions)$/;

/** Whether files are being uploaded: read piece by piece, which of the same address's other bodies can't be said. */
export const isUpload = (path: string, contentType: string | undefined) =>
  UPLOAD_PATH.test(path) && /^multipart\/form-data\b/i.test(contentType ?? "");
/** All of one upload, in bytes. */
export const UPLOAD_LIMIT = 1_000_000_000;

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
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === 0x5c) index++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new AppError("invalid", `The JSON nests deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
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
    if (length > limit) throw new AppError("too_large", `The body is larger than ${limit / 2 ** 20} MB.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads a request's JSON body within the limits, in bytes. */
export async function readJson(request: Request, limit = BODY_LIMIT): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media", "Send the body as application/json.");
  }
  const bytes = await readBytes(request, limit);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid UTF-8.", { cause: error });
  }
  return parseJson(text);
}
