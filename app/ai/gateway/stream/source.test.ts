import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EventWatch } from "./source";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("waits longer for the first event than for the next ones", () => {
  const onTooSlow = vi.fn();
  const watch = new EventWatch("Far", { firstByteMs: 5000, betweenBytesMs: 1000 }, onTooSlow, onTooSlow);
  watch.wait();
  vi.advanceTimersByTime(4999);
  watch.event();
  vi.advanceTimersByTime(999);
  expect(onTooSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2);
  expect(onTooSlow).toHaveBeenCalledOnce();
});

it("names the provider that sent no event in time, and doesn't wait again", () => {
  const onTooSlow = vi.fn();
  const watch = new EventWatch("Far", { firstByteMs: 1000, betweenBytesMs: 1000 }, onTooSlow, onTooSlow);
  watch.wait();
  vi.advanceTimersByTime(999);
  watch.event();
  vi.advanceTimersByTime(999);
  expect(onTooSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2);
  const message = expect.stringContaining("Far sent no complete event for 1 s");
  expect(onTooSlow).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }));
  watch.wait();
  vi.advanceTimersByTime(60_000);
  expect(onTooSlow).toHaveBeenCalledOnce();
});

it("gives up a provider that thinks without an end, but not one that answers", () => {
  const onWithoutContent = vi.fn();
  const silence = { firstByteMs: 1000, betweenBytesMs: 1000 };
  const watch = new EventWatch("Far", silence, vi.fn(), onWithoutContent);
  watch.wait();
  const think = (halfSeconds: number) => {
    for (let n = 0; n < halfSeconds; n++) {
      watch.event();
      vi.advanceTimersByTime(500);
    }
  };
  think(39);
  watch.content();
  think(39);
  expect(onWithoutContent).not.toHaveBeenCalled();
  think(2);
  const failure = expect.objectContaining({ name: "ProviderTimeout", ms: 20_000 });
  expect(onWithoutContent).toHaveBeenCalledExactlyOnceWith(failure);
});
