import type { AppError, ErrorCode } from "~/core/errors";

const PASSING: ReadonlySet<ErrorCode> = new Set([
  "provider_timeout",
  "provider_unavailable",
  "provider_quota",
  "rate_limited",
  "unavailable",
]);

/** Whether it may pass by itself, and is no fault of the document: a far end is away, overloaded or out of money. */
export const isOutage = ({ code }: AppError): boolean => PASSING.has(code);
