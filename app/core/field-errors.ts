import type { z } from "zod";
import type { FieldErrors } from "./errors";

export function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues) {
    const name = issue.path.map(String).join(".");
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  return fields;
}
