import { z } from "zod";
import { linesOf } from "~/core/well-formed";
import { cleanName, MAX_RAW_NAME_LENGTH, NAME_MAX } from "./names";

/** From the `Link` header of the previous page; decoded by `core/cursor`. */
export const CursorParam = z.string().max(256).optional();

export function nameField(required: string, max = NAME_MAX) {
  const tooLong = `Use at most ${max} characters`;
  return (
    z
      .string({ error: required })
      .max(MAX_RAW_NAME_LENGTH, tooLong)
      .transform(cleanName)
      // The cleaned value may be empty.
      .pipe(z.string({ error: required }).min(1, required).max(max, tooLong))
  );
}

/** A list, or the lines of a form's field. */
export const listOrLines = <T extends z.ZodType>(list: T) =>
  z.preprocess((value) => (typeof value === "string" ? linesOf(value) : value), list);

/** A pasted export; a form takes 1 MB. @param missing what to paste */
export function pastedJsonField(missing: string, max = 900_000) {
  return z
    .string({ error: missing })
    .trim()
    .min(1, missing)
    .max(max, `Use at most ${max.toLocaleString("en-US")} characters`);
}
