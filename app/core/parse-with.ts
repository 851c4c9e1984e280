import type { z } from "zod";
import { AppError, type FieldErrors } from "./errors";

/** @throws AppError `invalid` with a message per field */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, subject: string): z.infer<T> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const position = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  const message = `The ${subject} is not valid: ${first?.message ?? "unknown reason"}${position}`;
  throw new AppError("invalid", message, { fields: fieldErrorsOf(parsed.error) });
}

export function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues) {
    const name = issue.path.map(String).join(".");
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  return fields;
}

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const EXPECTED: Readonly<Record<string, string>> = {
  number: "Enter a number",
  int: "Enter a whole number",
  string: "Enter text",
  boolean: "Use true or false",
  array: "Use a list",
  object: "Use an object",
  record: "Use an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "Enter an email address",
  url: "Enter an address, such as https://example.com",
  datetime: "Enter a date and time, such as 2026-01-31T09:00:00Z",
  date: "Enter a date, such as 2026-01-31",
};

const UNITS: Readonly<Record<string, string>> = {
  string: "character",
  array: "item",
  set: "item",
  file: "byte",
};

const amount = new Intl.NumberFormat("en-US");

function boundOf(limit: unknown, origin: string): string {
  const number = typeof limit === "number" || typeof limit === "bigint" ? limit : Number(limit);
  const unit = UNITS[origin];
  return `${amount.format(number)}${unit ? ` ${unit}${Number(number) === 1 ? "" : "s"}` : ""}`;
}

function listOf(values: readonly unknown[]): string {
  const texts = values.map((value) => (value === null ? "null" : String(value) || '""'));
  const last = texts.pop() ?? "";
  return texts.length > 0 ? `${texts.join(", ")} or ${last}` : last;
}

/** The message of an issue whose schema has none of its own, in words for a person. */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "This is missing";
      return EXPECTED[issue.expected] ?? "This value isn't valid";
    case "too_small":
      return `Use at least ${boundOf(issue.minimum, issue.origin)}`;
    case "too_big":
      return `Use at most ${boundOf(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return `Use ${listOf(issue.values)}`;
    case "not_multiple_of":
      return `Use a multiple of ${issue.divisor}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "This value isn't valid";
    case "unrecognized_keys":
      return `There is no field ${listOf(issue.keys.map((key) => JSON.stringify(key.slice(0, 60))))}`;
    default:
      return "This value isn't valid";
  }
}
