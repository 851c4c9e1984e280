import { z } from "zod";
import { cleanName, MAX_RAW_NAME_LENGTH, NAME_MAX } from "./document-name";

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
