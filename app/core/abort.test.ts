import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Countdown, followSignal, isFulfilledWithin, onAbort, untilAborted, withDeadline } from "./abort";

const never = () => new Promise<never>(() => {});
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a listener for an abort", () => {
  it("hears the reason, also of a signal that has aborted", () => {
    const controller = new AbortController();
    const listener = vi.fn();
    onAbort(controller.signal, listener);
    controller.abort("left");
    onAbort(controller.signal, listener);
    expect(listener.mock.calls).toEqual([["left"], ["left"]]);
  });

  it("hears nothing once it is removed", () => {
    const controller = new AbortController();
    const listener = vi.fn();
    onAbort(controller.signal, listener)();
    controller.abort();
    expect(listener).not.toHaveBeenCalled();
  });
});

describe("a signal that follows another", () => {
  it("aborts with it until it is released", () => {
    const caller = new AbortController();
    const followed = followSignal(caller.signal);
    const released = followSignal(caller.signal);
    released.release();
    caller.abort("left");
    expect(followed.controller.signal.reason).toBe("left");
    expect(released.controller.signal.aborted).toBe(false);
  });
});

describe("work that can be aborted", () => {
  it("is left at the abort, even if it ignores it", async () => {
    const controller = new AbortController();
    const waiting = expect(untilAborted(never(), controller.signal)).rejects.toBe("left");
    controller.abort("left");
    await waiting;
  });

  it("fails with the reason, whatever the work makes of the abort", async () => {
    const controller = new AbortController();
    const work = new Promise((_, reject) => onAbort(controller.signal, () => reject(new Error("broken"))));
    const waiting = expect(untilAborted(work, controller.signal)).rejects.toBe("left");
    controller.abort("left");
    await waiting;
  });

  it("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
    expect(listenersOf(signal)).toBe(0);
  });
});

describe("work with a deadline", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const error = new Error("too slow");
  const timeoutError = () => error;

  it("ends with an error when the time is over", async () => {
    const stop = vi.fn();
    const late = withDeadline({ ms: 1000, timeoutError }, (signal) => {
      onAbort(signal, stop);
      return never();
    });
    const waiting = expect(late).rejects.toBe(error);
    await vi.advanceTimersByTimeAsync(1000);
    await waiting;
    expect(stop).toHaveBeenCalledWith(error);
  });

  it("doesn't begin for a caller that has left", async () => {
    const work = vi.fn(never);
    const signal = AbortSignal.abort("left");
    await expect(withDeadline({ ms: 1000, timeoutError, signal }, work)).rejects.toBe("left");
    expect(work).not.toHaveBeenCalled();
  });

  it("leaves neither a timer nor a listener behind", async () => {
    const { signal } = new AbortController();
    await withDeadline({ ms: 1000, timeoutError, signal }, async () => undefined);
    expect([vi.getTimerCount(), listenersOf(signal)]).toEqual([0, 0]);
  });
});

describe("a countdown", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("stands still while anything holds it", () => {
    const end = vi.fn();
    const countdown = new Countdown(1000, end);
    vi.advanceTimersByTime(600);
    const [first, second] = [countdown.hold(), countdown.hold()];
    vi.advanceTimersByTime(5000);
    first();
    first();
    vi.advanceTimersByTime(5000);
    second();
    vi.advanceTimersByTime(399);
    expect(end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(end).toHaveBeenCalledOnce();
  });

  it("has no timer once it was ended, also if it is released later", () => {
    const countdown = new Countdown(1000, vi.fn());
    const release = countdown.hold();
    countdown.end();
    release();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("says whether work is done in time, and throws an error that comes in time", async () => {
  vi.useFakeTimers();
  expect(await isFulfilledWithin(Promise.resolve(), 1000)).toBe(true);
  await expect(isFulfilledWithin(Promise.reject(new Error("no")), 1000)).rejects.toThrow("no");
  const late = isFulfilledWithin(never(), 1000);
  await vi.advanceTimersByTimeAsync(1000);
  expect([await late, vi.getTimerCount()]).toEqual([false, 0]);
  vi.useRealTimers();
});
