import { AppError } from "./errors";

/** Most fields of a form: a few names for each of the 500 readers that a document may have. */
const MAX_FIELDS = 2000;
/** Longest name of a field, in characters. */
const MAX_NAME = 100;
/** Most parts of a name, such as the three of `targets[0].model`. */
const MAX_DEPTH = 4;
/** Highest position in a list that any form names; a schema's own limit is checked by `http/form-names`. */
const MAX_POSITION = 999;

const PART = /^(?:([A-Za-z][\w-]*)|\[(\d{0,10})\])(?:\.(?=[A-Za-z]))?/;
/** Names that lead into an object's prototype. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** A field's name and its value, in the order they were sent; null for a file, which no such form has a use for. */
export type FormField = [name: string, value: string | null];

/** A field's name by its parts: `targets[0].model` is `["targets", 0, "model"]`, and `""` stands for `[]`. */
export type FieldPath = (string | number)[];

function refuseName(name: string): never {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  throw new AppError("invalid", `The form has an unknown field: ${JSON.stringify(shown)}.`);
}

/**
 * Takes a field's name apart, before a parser builds lists and objects from it.
 *
 * @throws AppError `invalid` for a name that no form has: too long, too deep, a list position above 999, or one that
 *   leads into a prototype
 */
export function parseFieldName(name: string): FieldPath {
  if (name.length > MAX_NAME) refuseName(name);
  const path: FieldPath = [];
  for (let rest = name; rest !== "" || path.length === 0; ) {
    const [whole, key, position] = PART.exec(rest) ?? refuseName(name);
    if (key === undefined && path.length === 0) refuseName(name);
    if (key !== undefined && RESERVED.has(key)) refuseName(name);
    path.push(key ?? (position === "" ? "" : Number(position)));
    if (path.length > MAX_DEPTH || Number(position ?? 0) > MAX_POSITION) refuseName(name);
    rest = rest.slice(whole?.length ?? 0);
  }
  return path;
}

/** Refuses a field that the form's schema doesn't have. @throws AppError `invalid` */
export function refuseField(name: string): never {
  return refuseName(name);
}

/** Counts a form's fields without parsing it, at most one too many. */
function countFields(bytes: Uint8Array, separator: string): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = text.indexOf(separator); at >= 0 && count <= MAX_FIELDS; at = text.indexOf(separator, at + 1))
    count++;
  return count;
}

/**
 * Reads a form. A browser ends the lines of a text with two characters each, which no one typed: here it is one.
 * @throws AppError `unsupported_media` for another kind of body, `invalid` for one that can't be read, has too many
 * fields or a name that no form has
 */
export async function readFields(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormField[]> {
  const kind = /^(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.exec(contentType)?.[1];
  if (!kind) throw new AppError("unsupported_media", "Send the body as a form.");
  const boundary = /;\s*boundary="?([^\s";]+)/i.exec(contentType)?.[1];
  if (countFields(bytes, /^multipart/i.test(kind) ? `--${boundary}` : "&") > MAX_FIELDS)
    throw new AppError("invalid", "The form has too many fields.");
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  } catch (cause) {
    throw new AppError("invalid", "The form is malformed. Reload the page and try again.", { cause });
  }
  const fields: FormField[] = [];
  for (const [name, value] of form) {
    parseFieldName(name);
    fields.push([name, typeof value === "string" ? value.replaceAll("\r\n", "\n") : null]);
  }
  return fields;
}
