import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "./clock.server";
import { RateLimiter } from "./rate-limiter.server";

let at = 1_800_000_000_000;
beforeEach(() => setClock(() => at));
afterEach(() => setClock());
const quota = { limit: 6, windowMs: 60_000 };

describe("a rate", () => {
  it("allows the full quota at once and refills it evenly", () => {
    const limiter = new RateLimiter();
    const remaining = Array.from({ length: 6 }, () => limiter.take("a", quota).remaining);
    expect(remaining).toEqual([5, 4, 3, 2, 1, 0]);
    expect(limiter.take("a", quota)).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: 60_000,
      retryMs: 10_000,
    });
    at += 9_999;
    expect(limiter.take("a", quota)).toMatchObject({ allowed: false, retryMs: 1 });
    at += 1;
    expect(limiter.take("a", quota)).toMatchObject({ allowed: true, remaining: 0, resetMs: 60_000 });
    at += 60_000;
    expect(limiter.take("a", quota)).toMatchObject({ allowed: true, remaining: 5, resetMs: 10_000 });
  });

  it("counts per key, without refused uses", () => {
    const limiter = new RateLimiter();
    const one = { limit: 1, windowMs: 60_000 };
    expect(limiter.take("a", one).allowed).toBe(true);
    for (let n = 0; n < 10; n++)
      expect(limiter.take("a", one)).toMatchObject({ allowed: false, retryMs: 60_000 });
    expect(limiter.take("b", one).allowed).toBe(true);
    at += 60_000;
    expect(limiter.take("a", one).allowed).toBe(true);
  });

  it("recovers within a window after the clock was set back", () => {
    const limiter = new RateLimiter();
    for (let n = 0; n < 6; n++) limiter.take("a", quota);
    at -= 60 * 60_000;
    expect(limiter.take("a", quota)).toMatchObject({ allowed: false, retryMs: 10_000 });
    at += 10_000;
    expect(limiter.take("a", quota).allowed).toBe(true);
  });

  it.each([3, 7, 100, 999])("of %i allows exactly as many at once", (limit) => {
    const limiter = new RateLimiter();
    const allowed = Array.from(
      { length: limit + 5 },
      () => limiter.take("a", { limit, windowMs: 60_000 }).allowed,
    );
    expect(allowed.filter(Boolean)).toHaveLength(limit);
  });
});
