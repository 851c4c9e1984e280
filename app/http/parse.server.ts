import type { z } from "zod";
import { AppError, type FieldErrors } from "~/core/errors";

/** How deep a JSON document may nest. */
const MAX_DEPTH = 64;
/** Every body but an upload, in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Where files are uploaded. */
export const isUploadPath = (path: string) => /^\/api\/rag\/(upload|documents\/[^/]+\/versions)$/.test(path);
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

/** Reads a request's JSON body within the limits. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media", "Send the body as application/json.");
  }
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > BODY_LIMIT) throw new AppError("too_large", "The body is larger than 1 MB.");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid UTF-8.", { cause: error });
  }
  return parseJson(text);
}
