import { now } from "./clock.server";

/** How much a key may use: `limit` in `windowMs`, all of it at once where it was idle before. */
export interface Quota {
  limit: number;
  /** In ms. */
  windowMs: number;
}

export interface RateVerdict {
  allowed: boolean;
  /** What may still be used at once. */
  remaining: number;
  /** Until the whole quota is there again, in ms. */
  resetMs: number;
  /** Until the next is allowed, in ms; 0 where it is allowed. */
  retryMs: number;
}

/** Keys after which those that are idle are forgotten. */
const MANY = 10_000;

/**
 * Limits rates by the generic cell rate algorithm: one number per key, the time at which all that was used will have been
 * made up for (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm). What is refused uses nothing up.
 */
export class RateLimiter {
  readonly #full = new Map<string, number>();

  take(key: string, { limit, windowMs }: Quota): RateVerdict {
    const at = now();
    const interval = windowMs / limit;
    const used = Math.max(this.#full.get(key) ?? 0, at);
    // Both sides of the comparison come from the same additions, which a fraction of a ms may separate.
    const retryMs = Math.ceil(used + interval - windowMs - at - 1e-3);
    if (retryMs > 0) return { allowed: false, remaining: 0, resetMs: used - at, retryMs };
    if (this.#full.size >= MANY) this.#forgetIdle(at);
    const full = used + interval;
    this.#full.set(key, full);
    const remaining = Math.floor((windowMs - (full - at)) / interval + 1e-6);
    return { allowed: true, remaining, resetMs: full - at, retryMs: 0 };
  }

  #forgetIdle(at: number): void {
    for (const [key, full] of this.#full) if (full <= at) this.#full.delete(key);
  }
}
