import type { AppError, ErrorCode } from "~/core/errors";

const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  "provider_timeout",
  "provider_unavailable",
  "provider_quota",
  "budget_exceeded",
  "rate_limited",
  "unavailable",
]);

/**
 * Whether the error is transient: the upstream is down, overloaded or out of quota, or a budget is used up.
 */
export const isTransient = ({ code }: AppError): boolean => TRANSIENT.has(code);
