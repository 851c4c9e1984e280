import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { ProviderHealth } from "./health.server";

describe("a provider's health", () => {
  let health: ProviderHealth;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    setClock(() => Date.now());
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    health = new ProviderHealth();
  });
  afterEach(() => {
    vi.useRealTimers();
    setClock();
  });
  const fail = (times: number, kind: "unhealthy" | "refused" | "healthy" = "unhealthy") => {
    for (let call = 0; call < times; call++) health.fail("It broke.", kind);
  };

  it("opens the breaker after five failed calls in a row, not after four", () => {
    fail(4);
    health.succeed();
    fail(4);
    expect(health.away()).toBeUndefined();
    fail(1);
    expect(health.away()).toEqual({ why: "broken", forMs: 15_000 });
  });

  it("opens it when half of at least ten calls in a minute fail", () => {
    for (let call = 0; call < 4; call++) {
      health.succeed();
      fail(1);
    }
    expect(health.away()).toBeUndefined();
    health.succeed();
    fail(1);
    expect(health.away()).toMatchObject({ why: "broken" });
  });

  it("doesn't open it for a refused key, which puts the provider behind the others for a minute", () => {
    fail(20, "healthy");
    expect(health.refused).toBe(false);
    fail(20, "refused");
    expect(health.away()).toBeUndefined();
    expect(health.refused).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(health.refused).toBe(false);
    fail(1, "refused");
    health.succeed();
    expect(health.refused).toBe(false);
  });

  it("allows one call after the delay; a failure doubles it, a success closes the breaker", () => {
    fail(5);
    vi.advanceTimersByTime(15_000);
    expect(health.away()).toBeUndefined();
    const older = health.begin();
    expect(health.away()).toMatchObject({ why: "broken" });
    older();
    fail(1);
    expect(health.away()).toEqual({ why: "broken", forMs: 30_000 });
    vi.advanceTimersByTime(30_000);
    health.begin()();
    health.succeed();
    expect(health.away()).toBeUndefined();
    fail(4);
    expect(health.away()).toBeUndefined();
  });

  it("allows a single probing call at a time", () => {
    const before = health.begin();
    fail(5);
    vi.advanceTimersByTime(15_000);
    const first = health.begin();
    before();
    expect(health.away()).toMatchObject({ why: "broken" });
    first();
    expect(health.away()).toBeUndefined();
  });

  it("never pauses for longer than five minutes", () => {
    for (let time = 0; time < 12; time++) {
      fail(5);
      vi.advanceTimersByTime(5 * 60_000);
    }
    fail(1);
    expect(health.away()?.forMs).toBe(5 * 60_000);
  });

  it("waits as long as the provider requested", () => {
    health.cool(3000);
    expect(health.away()).toEqual({ why: "cooling", forMs: 3000 });
    vi.advanceTimersByTime(3000);
    expect(health.away()).toBeUndefined();
  });

  it("tries at once when the configuration was changed", () => {
    fail(5);
    health.cool(10_000);
    health.resetOnChange("changed");
    expect(health.away()).toBeUndefined();
    fail(5);
    health.resetOnChange("changed");
    expect(health.away()).toBeDefined();
  });

  it("averages latencies by model, the newest weighing a fifth, for ten minutes", () => {
    health.measure("m", 100);
    health.measure("m", 200);
    expect(health.latencyOf("m")).toBe(120);
    expect(health.latencyOf("n")).toBeUndefined();
    vi.advanceTimersByTime(10 * 60_000);
    expect(health.latencyOf("m")).toBeUndefined();
    expect(health.latency).toBe(120);
  });

  it("counts the results of the last quarter of an hour", () => {
    health.succeed();
    vi.advanceTimersByTime(5 * 60_000);
    fail(2);
    expect(health.results).toEqual({ ok: 1, failed: 2 });
    vi.advanceTimersByTime(11 * 60_000);
    expect(health.results).toEqual({ ok: 0, failed: 2 });
    expect(health.lastFailure?.message).toBe("It broke.");
  });
});
