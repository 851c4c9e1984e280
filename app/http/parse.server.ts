import type { z } from "zod";
import { AppError } from "~/core/errors";
import { fieldErrorsOf } from "~/core/field-errors";

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
  const first = parsed.error.issues[0];
  const place = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  throw new AppError("invalid", `The ${what} is not valid: ${first?.message ?? "unknown reason"}${place}`, {
    fields: fieldErrorsOf(parsed.error),
  });
}
