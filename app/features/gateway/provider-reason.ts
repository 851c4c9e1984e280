import { z } from "zod";
import { AppError } from "~/core/errors";
import { clip, parseWellFormed } from "~/core/well-formed";

/** A provider's error with its body, as thrown by `RouteTarget.send` and adapters. */
const ProviderError = z.object({ statusCode: z.number(), responseBody: z.string() });

/** Statuses about the caller's request; others may reveal our key or internals. */
const SHOWN_STATUSES = new Set([400, 404, 413, 422]);

const Reason = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z.array(z.object({ error: z.object({ message: z.string() }) })).transform((all) => all[0]?.error.message),
]);

const MAX_LENGTH = 500;
/** Long tokens, and values that follow the name of a credential. */
const SECRETS = [
  /\b(?:sk|pk|rk|hf|gsk|xai|qd|ghp|AIza)[-_]?[\w-]{8,}/g,
  /\b(?:bearer|authorization|api[-_ ]?key|token)\b["']?\s*[:=]?\s*["']?[^\s"',]{8,}/gi,
  /[\w+/=-]{32,}/g,
];

export function providerReason(error: unknown): string | undefined {
  const refusal = ProviderError.safeParse(error);
  if (!refusal.success || !SHOWN_STATUSES.has(refusal.data.statusCode)) return undefined;
  let body: unknown;
  try {
    body = parseWellFormed(refusal.data.responseBody.slice(0, 64_000));
  } catch {
    return undefined;
  }
  const reason = Reason.safeParse(body);
  if (!reason.success || !reason.data) return undefined;
  const redacted = SECRETS.reduce(
    (text, secret) => text.replace(secret, "[redacted]"),
    clip(reason.data, 4 * MAX_LENGTH),
  );
  const line = redacted.replace(/\s+/g, " ").trim();
  return line.length > MAX_LENGTH ? `${clip(line, MAX_LENGTH)}…` : line;
}

/** Appends the provider's reason to the message. */
export function appendReason(error: unknown, reason: string | undefined): unknown {
  const isRefusal =
    error instanceof AppError && (error.code === "provider_rejected" || error.code === "provider_model");
  if (!isRefusal || !reason) return error;
  return new AppError(error.code, `${error.message} Its message: ${reason}`, { cause: error });
}
