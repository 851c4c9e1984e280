import { z } from "zod";
import { AppError } from "./errors";

/** A document's form has a few fields for each of up to 500 readers. */
const MAX_FIELDS = 2000;
/** In characters. */
const MAX_NAME = 100;
const MAX_DEPTH = 4;
/** Highest list index; `http/form` checks the schema's own limit. */
const MAX_POSITION = 999;

const PART = /^(?:([A-Za-z][\w-]*)|\[(\d{0,10})\])(?:\.(?=[A-Za-z]))?/;
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

export const FormFields = z.array(z.tuple([z.string(), z.string().nullable()]));
type FormField = [name: string, value: string | null];

/** `targets[0].model` is `["targets", 0, "model"]`; `[]` is `""`. */
export type FieldPath = (string | number)[];

export function refuseField(name: string): never {
  const label = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  throw new AppError("invalid", `The form has an unknown field: ${JSON.stringify(label)}.`);
}

/**
 * Parses a field's name.
 * @throws AppError `invalid` if it is too long or too deep, has an index above 999, or names a prototype
 */
export function parseFieldName(name: string): FieldPath {
  if (name.length > MAX_NAME) refuseField(name);
  const path: FieldPath = [];
  for (let rest = name; rest !== "" || path.length === 0; ) {
    const [whole, key, position] = PART.exec(rest) ?? refuseField(name);
    if (key === undefined && path.length === 0) refuseField(name);
    if (key !== undefined && RESERVED.has(key)) refuseField(name);
    path.push(key ?? (position === "" ? "" : Number(position)));
    if (path.length > MAX_DEPTH || Number(position ?? 0) > MAX_POSITION) refuseField(name);
    rest = rest.slice(whole?.length ?? 0);
  }
  return path;
}

/** Counts fields without parsing; may be one too many. */
function countFields(bytes: Uint8Array, separator: string): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = text.indexOf(separator); at >= 0 && count <= MAX_FIELDS; at = text.indexOf(separator, at + 1))
    count++;
  return count;
}

/**
 * Parses a form whose fields may have any names.
 * @throws AppError `unsupported_media` for another type of body, `invalid` if it is malformed or has too many fields
 */
export async function parseForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  const kind = /^(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.exec(contentType)?.[1];
  if (!kind) throw new AppError("unsupported_media", "Send the body as a form.");
  const boundary = /;\s*boundary="?([^\s";]+)/i.exec(contentType)?.[1];
  if (countFields(bytes, /^multipart/i.test(kind) ? `--${boundary}` : "&") > MAX_FIELDS)
    throw new AppError("invalid", "The form has too many fields.");
  try {
    return await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  } catch (cause) {
    throw new AppError("invalid", "The form is malformed. Send it again.", { cause });
  }
}

/**
 * Reads a form of a screen. Normalizes the CRLF line ends that browsers send.
 * @throws AppError as `parseForm`; `invalid` for a field that no screen has
 */
export async function readFields(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormField[]> {
  const fields: FormField[] = [];
  for (const [name, value] of await parseForm(bytes, contentType)) {
    parseFieldName(name);
    fields.push([name, typeof value === "string" ? value.replaceAll("\r\n", "\n") : null]);
  }
  return fields;
}
