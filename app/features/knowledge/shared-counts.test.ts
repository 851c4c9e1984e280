import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { shareCounts } from "./shared-counts.server";

const actor = (userId: string): Actor => ({ kind: "user", userId, orgId: "org", role: "member" });
const count = vi.fn(() => ({
  total: count.mock.calls.length,
  ready: 0,
  processing: 0,
  failed: 0,
  chunks: 0,
}));

beforeEach(() => {
  count.mockClear();
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(10_000);
});
afterEach(() => {
  vi.useRealTimers();
});

it("counts once for all of a person's pages, and every two seconds at most while things change", () => {
  const pages = Array.from({ length: 20 }, () => shareCounts(actor("one"), count));
  expect(count).toHaveBeenCalledTimes(1);
  const told = () => pages.map((page) => page.read(performance.now()));
  // The first change is told at once.
  vi.advanceTimersByTime(250);
  expect(new Set(told().map(({ stats }) => stats.total))).toEqual(new Set([2]));
  for (let step = 0; step < 7; step++) {
    vi.advanceTimersByTime(250);
    expect(told().every(({ stats }) => stats.total === 2)).toBe(true);
  }
  expect(told()[0]?.again).toBe(250);
  vi.advanceTimersByTime(250);
  expect(told()[0]).toEqual({ stats: expect.objectContaining({ total: 3 }), again: undefined });
  expect(count).toHaveBeenCalledTimes(3);
  for (const page of pages) page.leave();
});

it("counts nothing anew when nothing changed, and each person's documents for themselves", () => {
  const [one, two] = [shareCounts(actor("one"), count), shareCounts(actor("two"), count)];
  const at = performance.now();
  vi.advanceTimersByTime(60_000);
  expect(one.read(at).again).toBeUndefined();
  expect(two.read(at).stats.total).toBe(2);
  one.leave();
  two.leave();
  expect(shareCounts(actor("one"), count).read(0).stats.total).toBe(3);
});
