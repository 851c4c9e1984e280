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
/** Maximum number of keys; beyond it the oldest is dropped, so that memory stays bounded. */
const MOST = 100_000;
/** Least time between two searches for idle keys, in ms. */
const FORGET_EVERY = 10_000;

/**
 * Limits rates by the generic cell rate algorithm: one number per key, the time at which all that was used will have been
 * made up for (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm). What is refused uses nothing up.
 */
export class RateLimiter {
  readonly #full = new Map<string, number>();
  #forgotAt = Number.NEGATIVE_INFINITY;

  take(key: string, { limit, windowMs }: Quota): RateVerdict {
    const at = now();
    const interval = windowMs / limit;
    let used = Math.max(this.#full.get(key) ?? 0, at);
    if (used > at + windowMs) {
      // The clock was set back.
      used = at + windowMs;
      this.#full.set(key, used);
    }
    // Both sides of the comparison come from the same additions, which a fraction of a ms may separate.
    const retryMs = Math.ceil(used + interval - windowMs - at - 1e-3);
    if (retryMs > 0) return { allowed: false, remaining: 0, resetMs: used - at, retryMs };
    if (this.#full.size >= MANY) this.#forget(at);
    const full = used + interval;
    this.#full.set(key, full);
    const remaining = Math.floor((windowMs - (full - at)) / interval + 1e-6);
    return { allowed: true, remaining, resetMs: full - at, retryMs: 0 };
  }

  #forget(at: number): void {
    if (Math.abs(at - this.#forgotAt) >= FORGET_EVERY) {
      this.#forgotAt = at;
      for (const [key, full] of this.#full) if (full <= at) this.#full.delete(key);
    }
    const oldest = this.#full.keys().next();
    if (this.#full.size >= MOST && !oldest.done) this.#full.delete(oldest.value);
  }
}
