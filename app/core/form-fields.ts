import { AppError } from "./errors";

/** How many fields a form may have: some names for each of the most readers a document has, and many others. */
const MAX_FIELDS = 2000;

/** A field's name and its value, in the order they were sent; null for a file, which no such form has a use for. */
export type FormField = [name: string, value: string | null];

/**
 * Reads a form. A browser ends the lines of a text with two characters each, which nobody typed: here it is one.
 *
 * @throws AppError `unsupported_media` for another kind of body, `invalid` for one that can't be read or has too many
 *   fields
 */
export async function readFields(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormField[]> {
  if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.test(contentType))
    throw new AppError("unsupported_media", "Send a form.");
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
  } catch (cause) {
    throw new AppError("invalid", "The form could not be read.", { cause });
  }
  const fields: FormField[] = [];
  for (const [name, value] of form)
    fields.push([name, typeof value === "string" ? value.replaceAll("\r\n", "\n") : null]);
  if (fields.length > MAX_FIELDS) throw new AppError("invalid", "The form has too many fields.");
  return fields;
}
