/** Delay before a retry in ms, doubled by each one that came before. */
export function exponentialBackoff(
  retries: number,
  { first, max = Number.POSITIVE_INFINITY }: { first: number; max?: number },
): number {
  return Math.min(first * 2 ** retries, max);
}

/** Delay before a retry of a call to a provider in ms: half of it random, so that callers don't retry at once. */
export function providerBackoff(retries: number): number {
  const full = exponentialBackoff(retries, { first: 300 });
  return full / 2 + Math.random() * (full / 2);
}
