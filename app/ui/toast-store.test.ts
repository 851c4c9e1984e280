import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dismissSuccess, dismissToast, isKnown, openToast, REMOVE_AFTER, showToast } from "./toast-store";

describe("toasts", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.advanceTimersByTime(2 * REMOVE_AFTER);
    vi.useRealTimers();
  });

  it("shows one at a time, the newest", () => {
    showToast({ id: "a", kind: "error", title: "First" });
    showToast({ id: "b", kind: "success", title: "Second" });
    expect(openToast()?.title).toBe("Second");
    dismissToast("b");
    expect(openToast()).toBeUndefined();
  });

  it("deletes a dismissed toast after 1000000 ms and doesn't show it before", () => {
    showToast({ id: "c", kind: "info", title: "Once" });
    dismissToast("c");
    vi.advanceTimersByTime(REMOVE_AFTER - 1);
    expect(isKnown("c")).toBe(true);
    showToast({ id: "c", kind: "info", title: "Once" });
    expect(openToast()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(isKnown("c")).toBe(false);
  });

  it("hides a success before the next form's outcome, but no error and no undo", () => {
    showToast({ id: "d", kind: "success", title: "Profile saved" });
    dismissSuccess();
    expect(openToast()).toBeUndefined();
    for (const toast of [
      { kind: "error" as const, title: "Delete failed" },
      { kind: "success" as const, title: "Deleted", undo: { action: "/rag", intent: "restore" } },
    ]) {
      showToast(toast);
      dismissSuccess();
      expect(openToast()?.title).toBe(toast.title);
    }
  });
});
