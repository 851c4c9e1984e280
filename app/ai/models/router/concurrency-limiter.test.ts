import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setClock } from "~/core/clock.server";
import { ConcurrencyLimiter } from "./concurrency-limiter.server";

/** Lets everything that is ready run. */
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("a limiter", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    setClock(() => Date.now());
  });
  afterEach(() => {
    vi.useRealTimers();
    setClock();
  });

  /** Asks for places one after the other and notes who gets one. */
  function crowd(gate: ConcurrencyLimiter, patienceMs = 30_000) {
    const admitted: string[] = [];
    const refused: unknown[] = [];
    const ask = (caller: string, name = caller, signal?: AbortSignal) =>
      void gate.acquire(caller, "Lab", patienceMs, signal).then(
        () => admitted.push(name),
        (error: unknown) => refused.push(error),
      );
    return { admitted, refused, ask };
  }

  it("is unlimited by default", async () => {
    const gate = new ConcurrencyLimiter({});
    const { admitted, ask } = crowd(gate);
    for (let call = 0; call < 100; call++) ask("a");
    await settled();
    expect(admitted).toHaveLength(100);
    expect(gate.hasFreeSlot).toBe(true);
  });

  it("limits concurrent calls", async () => {
    const gate = new ConcurrencyLimiter({ maxConcurrent: 2 });
    const { admitted, ask } = crowd(gate);
    for (const name of ["1", "2", "3", "4"]) ask("a", name);
    await settled();
    expect(admitted).toEqual(["1", "2"]);
    expect(gate.hasFreeSlot).toBe(false);
    gate.release();
    await settled();
    expect(admitted).toEqual(["1", "2", "3"]);
  });

  it("serves callers in turns, however many calls one of them has", async () => {
    const gate = new ConcurrencyLimiter({ maxConcurrent: 1 });
    const { admitted, ask } = crowd(gate);
    ask("now");
    for (const name of ["a1", "a2", "a3"]) ask("a", name);
    ask("b", "b1");
    ask("c", "c1");
    for (let call = 0; call < 5; call++) {
      await settled();
      gate.release();
    }
    await settled();
    expect(admitted).toEqual(["now", "a1", "b1", "c1", "a2", "a3"]);
  });

  it("limits calls per minute and resumes automatically", async () => {
    const gate = new ConcurrencyLimiter({ requestsPerMinute: 2 });
    const { admitted, ask } = crowd(gate, 120_000);
    ask("a", "1");
    await vi.advanceTimersByTimeAsync(10_000);
    ask("a", "2");
    ask("a", "3");
    ask("a", "4");
    await vi.advanceTimersByTimeAsync(49_999);
    expect(admitted).toEqual(["1", "2"]);
    await vi.advanceTimersByTimeAsync(2);
    expect(admitted).toEqual(["1", "2", "3"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(admitted).toEqual(["1", "2", "3", "4"]);
  });

  it("removes timed-out and canceled callers from the queue", async () => {
    const gate = new ConcurrencyLimiter({ maxConcurrent: 1 });
    const { admitted, refused, ask } = crowd(gate, 1000);
    const controller = new AbortController();
    ask("a", "first");
    ask("a", "late");
    ask("b", "left", controller.signal);
    await settled();
    controller.abort();
    await vi.advanceTimersByTimeAsync(1000);
    expect(refused).toEqual([
      expect.objectContaining({ name: "AbortError" }),
      expect.objectContaining({ code: "rate_limited", message: expect.stringContaining("Lab is busy") }),
    ]);
    gate.release();
    ask("c", "next");
    await settled();
    expect(admitted).toEqual(["first", "next"]);
  });

  it("bounds how many wait, of one caller and in all", async () => {
    const gate = new ConcurrencyLimiter({ maxConcurrent: 1 });
    const { refused, ask } = crowd(gate);
    for (let call = 0; call < 502; call++) ask("a");
    await settled();
    expect(refused).toHaveLength(1);
    for (const caller of ["b", "c", "d", "e"]) for (let call = 0; call < 400; call++) ask(caller);
    await settled();
    expect(refused).toHaveLength(101);
    expect(gate.length).toBe(2000);
  });

  it("starts queued calls when the limit grows", async () => {
    const gate = new ConcurrencyLimiter({ maxConcurrent: 1 });
    const { admitted, ask } = crowd(gate);
    ask("a", "1");
    ask("a", "2");
    await settled();
    gate.setLimits({ maxConcurrent: 2 });
    await settled();
    expect(admitted).toEqual(["1", "2"]);
  });
});
