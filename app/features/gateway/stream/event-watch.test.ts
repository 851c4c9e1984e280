import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventWatch } from "./event-watch";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the watch over a provider's events", () => {
  it("counts only the time in which the provider is waited for", () => {
    const onTooSlow = vi.fn();
    const watch = new EventWatch("Far", 1000, onTooSlow);
    watch.wait();
    vi.advanceTimersByTime(600);
    watch.pause();
    vi.advanceTimersByTime(60_000);
    watch.wait();
    vi.advanceTimersByTime(399);
    expect(onTooSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onTooSlow).toHaveBeenCalledOnce();
    expect(() => watch.assert()).toThrow("Far sent no complete event for 1 s");
  });

  it.each(["while it is waited for", "in between"])("begins anew with every event %s", (when) => {
    const onTooSlow = vi.fn();
    const watch = new EventWatch("Far", 1000, onTooSlow);
    watch.wait();
    vi.advanceTimersByTime(900);
    if (when === "in between") watch.pause();
    watch.event();
    watch.wait();
    vi.advanceTimersByTime(999);
    expect(onTooSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onTooSlow).toHaveBeenCalledOnce();
  });
});
