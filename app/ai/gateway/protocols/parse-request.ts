import type { z } from "zod";
import { AppError } from "~/core/errors";

/** Names the field, since clients show the message as it is. */
export function invalidField(path: readonly PropertyKey[], message: string): AppError {
  const field = path.map(String).join(".");
  if (field === "") return new AppError("invalid", message);
  return new AppError("invalid", `${field}: ${message}`, { fields: { [field]: [message] } });
}

type Issue = z.core.$ZodIssue;

/**
 * The most specific issue. Within a union it is that of the member that got furthest: an array's bad part rather than
 * "not a text".
 */
function deepest(issue: Issue): { path: PropertyKey[]; message: string } {
  if (issue.code !== "invalid_union") return issue;
  const inside = issue.errors.flatMap((issues) => issues.slice(0, 1).map(deepest));
  const best = inside.reduce<{ path: PropertyKey[]; message: string } | undefined>(
    (found, next) => (found && found.path.length >= next.path.length ? found : next),
    undefined,
  );
  return best && best.path.length > 0 ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** @throws AppError `invalid` with the first wrong field */
export function parseRequest<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const { path, message } = first ? deepest(first) : { path: [], message: "The request is malformed." };
  throw invalidField(path, message);
}
