import { now } from "./clock.server";

/** `limit` uses per `windowMs`; an idle key may use them all at once. */
export interface Quota {
  limit: number;
  windowMs: number;
}

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  /** Time until the full quota is available (ms). */
  resetMs: number;
  /** Time until the next use is allowed (ms); 0 if allowed now. */
  retryMs: number;
}

/** Number of keys above which idle ones are removed. */
const CLEANUP_ABOVE = 10_000;
/** Maximum number of keys; the oldest is dropped. */
const MAX_KEYS = 100_000;
const CLEANUP_INTERVAL_MS = 10_000;

/**
 * Generic cell rate algorithm (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm): one number per
 * key. Refused uses don't count.
 */
export class RateLimiter {
  readonly #full = new Map<string, number>();
  #cleanedAt = Number.NEGATIVE_INFINITY;

  take(key: string, { limit, windowMs }: Quota): RateVerdict {
    const at = now();
    const interval = windowMs / limit;
    let used = Math.max(this.#full.get(key) ?? 0, at);
    if (used > at + windowMs) {
      // The clock was set back.
      used = at + windowMs;
      this.#full.set(key, used);
    }
    // Tolerates rounding errors of a fraction of a ms.
    const retryMs = Math.ceil(used + interval - windowMs - at - 1e-3);
    if (retryMs > 0) return { allowed: false, remaining: 0, resetMs: used - at, retryMs };
    if (this.#full.size >= CLEANUP_ABOVE) this.#removeIdle(at);
    const full = used + interval;
    this.#full.set(key, full);
    const remaining = Math.floor((windowMs - (full - at)) / interval + 1e-6);
    return { allowed: true, remaining, resetMs: full - at, retryMs: 0 };
  }

  #removeIdle(at: number): void {
    if (Math.abs(at - this.#cleanedAt) >= CLEANUP_INTERVAL_MS) {
      this.#cleanedAt = at;
      for (const [key, full] of this.#full) if (full <= at) this.#full.delete(key);
    }
    const oldest = this.#full.keys().next();
    if (this.#full.size >= MAX_KEYS && !oldest.done) this.#full.delete(oldest.value);
  }
}

/** IPv6 customers have at least a /64, which counts as one. */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail = ""] = plain.split("%")[0]?.split("::") ?? [];
  const left = head.split(":").filter(Boolean);
  const right = tail.split(":").filter(Boolean);
  const middle = plain.includes("::") ? Array(Math.max(0, 8 - left.length - right.length)).fill("0") : [];
  return [...left, ...middle, ...right]
    .slice(0, 4)
    .map((part) => part.toLowerCase())
    .join(":");
}
