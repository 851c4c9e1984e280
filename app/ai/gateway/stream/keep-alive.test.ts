import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isSettledWithin, KEEP_ALIVE_MS, KeepAlive } from "./keep-alive";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SIGN = ": still here\n\n";

it("says that a silent stream goes on, and nothing beside what is written", () => {
  const written: string[] = [];
  const alive = new KeepAlive((piece) => void written.push(Buffer.from(piece).toString()), SIGN);
  vi.advanceTimersByTime(KEEP_ALIVE_MS - 1);
  alive.write(Buffer.from("a"));
  vi.advanceTimersByTime(KEEP_ALIVE_MS - 1);
  expect(written).toEqual(["a"]);
  vi.advanceTimersByTime(1 + KEEP_ALIVE_MS);
  expect(written).toEqual(["a", SIGN, SIGN]);
  alive.stop();
  vi.advanceTimersByTime(KEEP_ALIVE_MS);
  expect(written).toHaveLength(3);
});

it("says nothing to a caller that is slow, or that has gone", async () => {
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const write = vi.fn<(piece: Uint8Array) => Promise<void> | undefined>(() => taken);
  const alive = new KeepAlive(write, SIGN);
  const waiting = alive.write(Buffer.from("a"));
  vi.advanceTimersByTime(KEEP_ALIVE_MS);
  expect(write).toHaveBeenCalledOnce();
  take();
  await waiting;
  write.mockImplementation(() => {
    throw new Error("gone");
  });
  vi.advanceTimersByTime(3 * KEEP_ALIVE_MS);
  expect(write).toHaveBeenCalledTimes(2);
});

it("tells a call that answers in time, or fails, from one that is late", async () => {
  expect(await isSettledWithin(Promise.resolve(), 1000)).toBe(true);
  await expect(isSettledWithin(Promise.reject(new Error("no")), 1000)).rejects.toThrow("no");
  const late = isSettledWithin(new Promise(() => undefined), 1000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await late).toBe(false);
});
