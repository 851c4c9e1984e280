/** Milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time in milliseconds since the epoch as ISO 8601, in UTC. */
export const isoTime = (time: number): string => new Date(time).toISOString();

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
