import type { z } from "zod";
import { AppError } from "./errors";
import { fieldErrorsOf } from "./field-errors";
import { describeIssue } from "./issue-messages";

/** @throws AppError `invalid` with a message per field */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, subject: string): z.infer<T> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const position = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  throw new AppError(
    "invalid",
    `The ${subject} is not valid: ${first?.message ?? "unknown reason"}${position}`,
    {
      fields: fieldErrorsOf(parsed.error),
    },
  );
}
