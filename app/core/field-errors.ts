import type { z } from "zod";
import type { FieldErrors } from "./errors";

/** A schema's errors by field; a nested field is `a.b`, form-level errors have an empty name. */
export function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues) {
    const name = issue.path.map(String).join(".");
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  return fields;
}
