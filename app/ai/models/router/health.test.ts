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
    expect(health.currentPause()).toBeUndefined();
    fail(1);
    expect(health.currentPause()).toEqual({ reason: "breaker open", remainingMs: 15_000 });
  });

  it("opens it when half of at least ten calls in a minute fail", () => {
    for (let call = 0; call < 4; call++) {
      health.succeed();
      fail(1);
    }
    expect(health.currentPause()).toBeUndefined();
    health.succeed();
    fail(1);
    expect(health.currentPause()).toMatchObject({ reason: "breaker open" });
  });

  it("doesn't open it for a refused key, which puts the provider behind the others for a minute", () => {
    fail(20, "healthy");
    expect(health.isRefused).toBe(false);
    fail(20, "refused");
    expect(health.currentPause()).toBeUndefined();
    expect(health.isRefused).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(health.isRefused).toBe(false);
    fail(1, "refused");
    health.succeed();
    expect(health.isRefused).toBe(false);
  });

  it("allows one call after the delay; a failure doubles it, a success closes the breaker", () => {
    fail(5);
    vi.advanceTimersByTime(15_000);
    expect(health.currentPause()).toBeUndefined();
    const older = health.startCall();
    expect(health.currentPause()).toMatchObject({ reason: "breaker open" });
    older();
    fail(1);
    expect(health.currentPause()).toEqual({ reason: "breaker open", remainingMs: 30_000 });
    vi.advanceTimersByTime(30_000);
    health.startCall()();
    health.succeed();
    expect(health.currentPause()).toBeUndefined();
    fail(4);
    expect(health.currentPause()).toBeUndefined();
  });

  it("allows a single probing call at a time", () => {
    const before = health.startCall();
    fail(5);
    vi.advanceTimersByTime(15_000);
    const first = health.startCall();
    before();
    expect(health.currentPause()).toMatchObject({ reason: "breaker open" });
    first();
    expect(health.currentPause()).toBeUndefined();
  });

  it("never pauses for longer than five minutes", () => {
    for (let time = 0; time < 12; time++) {
      fail(5);
      vi.advanceTimersByTime(5 * 60_000);
    }
    fail(1);
    expect(health.currentPause()?.remainingMs).toBe(5 * 60_000);
  });

  it("waits as long as the provider requested", () => {
    health.coolDown(3000);
    expect(health.currentPause()).toEqual({ reason: "rate limited", remainingMs: 3000 });
    vi.advanceTimersByTime(3000);
    expect(health.currentPause()).toBeUndefined();
  });

  it("tries at once when the configuration was changed", () => {
    fail(5);
    health.coolDown(10_000);
    health.resetOnChange("changed");
    expect(health.currentPause()).toBeUndefined();
    fail(5);
    health.resetOnChange("changed");
    expect(health.currentPause()).toBeDefined();
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

  it("shows the latency that was measured last, of whichever model", () => {
    health.measure("first", 100);
    vi.advanceTimersByTime(1000);
    health.measure("second", 300);
    expect(health.latency).toBe(300);
    vi.advanceTimersByTime(1000);
    health.measure("first", 100);
    expect(health.latency).toBe(100);
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
