import type { z } from "zod";
import { AppError } from "~/core/errors";
import { fieldErrorsOf } from "~/core/field-errors";

/** @throws AppError `invalid` with a message per field */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, what: string): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const place = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  throw new AppError("invalid", `The ${what} is not valid: ${first?.message ?? "unknown reason"}${place}`, {
    fields: fieldErrorsOf(parsed.error),
  });
}
