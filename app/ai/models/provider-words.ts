import { clip } from "~/core/well-formed";
import { errorChain, findErrorResponse } from "./provider-errors.server";
import { readProviderFault } from "./provider-fault";

const MAX_LENGTH = 500;
/** Long tokens, and values that follow the name of a credential. */
const SECRETS = [
  /\b(?:sk|pk|rk|hf|gsk|xai|qd|ghp|AIza)[-_]?[\w*.-]{8,}/g,
  /\b(?:bearer|authorization|api[-_ ]?key|token)\b["']?(?: (?:provided|given|used))?\s*[:=]?\s*["']?[^\s"',]{8,}/gi,
  /\/\/[^\s/@]{1,200}@/g,
  /[\w+/=-]{32,}/g,
];

/** Statuses of the request, of limits and of load. Texts of others may reveal our key, or how the provider is built. */
const SHOWN_STATUSES = new Set([400, 402, 403, 404, 413, 422, 429, 503, 529]);

export const redact = (text: string) =>
  SECRETS.reduce((kept, secret) => kept.replace(secret, "[redacted]"), text);

/** A provider's text on one line, without what looks like a key. */
export function shortReason(message: string | undefined): string | undefined {
  if (!message) return undefined;
  const line = redact(clip(message, 4 * MAX_LENGTH))
    .replace(/\s+/g, " ")
    .trim();
  if (line === "" || line.startsWith("<")) return undefined;
  return line.length > MAX_LENGTH ? `${clip(line, MAX_LENGTH)}…` : line;
}

/** What a provider itself said of a failed call: for who made the call, beside our own words. */
export function wordsOf(error: unknown): string | undefined {
  const response = findErrorResponse(errorChain(error));
  if (response?.status !== undefined && !SHOWN_STATUSES.has(response.status)) return undefined;
  // Errors within a stream are plain data.
  const fault = response?.fault ?? (error instanceof Error ? undefined : readProviderFault(error));
  return shortReason(fault?.message);
}
