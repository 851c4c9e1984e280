/** Milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time in milliseconds since the epoch as ISO 8601, in UTC. */
export const isoTime = (time: number): string => new Date(time).toISOString();

/** Retry-After in ms (RFC 9110 10.2.3: seconds or a date). */
export function readRetryAfter(headers: Headers, at: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - at);
}

/** Retry-After of a response as an option of its `AppError`, in whole seconds; nothing if it asks for no pause. */
export function retryAfterOf(headers: Headers): { retryAfter?: number } {
  const ms = readRetryAfter(headers, Date.now());
  return ms ? { retryAfter: Math.ceil(ms / 1000) } : {};
}

/** Delay before a retry (ms): `first`, doubled for each earlier retry, at most `max`. */
export function exponentialBackoff(
  retries: number,
  { first, max = Number.POSITIVE_INFINITY }: { first: number; max?: number },
): number {
  return Math.min(first * 2 ** retries, max);
}

/** Delay before retrying a provider call (ms). Half of it is random, so that callers don't retry simultaneously. */
export function providerBackoff(retries: number): number {
  const full = exponentialBackoff(retries, { first: 300 });
  return full / 2 + Math.random() * (full / 2);
}
