import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { shareCounts } from "./shared-counts.server";

const actor = (userId: string): Actor => ({ kind: "user", userId, orgId: "org", role: "member" });
const count = vi.fn(async () => ({
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

it("counts once for all of a person's pages, and every two seconds at most while things change", async () => {
  const pages = Array.from({ length: 20 }, () => shareCounts(actor("one"), count));
  const told = () => Promise.all(pages.map((page) => page.read(performance.now())));
  const totals = async () => new Set((await told()).map(({ stats }) => stats.total));
  expect(await totals()).toEqual(new Set([1]));
  expect(count).toHaveBeenCalledTimes(1);
  // The first change is told at once.
  vi.advanceTimersByTime(250);
  expect(await totals()).toEqual(new Set([2]));
  for (let step = 0; step < 7; step++) {
    vi.advanceTimersByTime(250);
    expect(await totals()).toEqual(new Set([2]));
  }
  expect((await told())[0]?.again).toBe(250);
  vi.advanceTimersByTime(250);
  expect((await told())[0]).toEqual({ stats: expect.objectContaining({ total: 3 }), again: undefined });
  expect(count).toHaveBeenCalledTimes(3);
  for (const page of pages) page.leave();
});

it("counts nothing anew when nothing changed, and each person's documents for themselves", async () => {
  const [one, two] = [shareCounts(actor("one"), count), shareCounts(actor("two"), count)];
  const at = performance.now();
  expect((await one.read(at)).stats.total).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect((await one.read(at)).again).toBeUndefined();
  expect((await two.read(at)).stats.total).toBe(2);
  one.leave();
  two.leave();
  const third = shareCounts(actor("one"), count);
  expect((await third.read(0)).stats.total).toBe(3);
  third.leave();
});

it("tells once more what was counted before when it can't be counted, and says when to ask again", async () => {
  const page = shareCounts(actor("one"), count);
  count.mockRejectedValueOnce(new AppError("unavailable", "Too much waits."));
  await expect(page.read(0)).rejects.toThrow("Too much waits.");
  expect((await page.read(0)).stats.total).toBe(2);
  vi.advanceTimersByTime(1);
  count.mockRejectedValueOnce(new AppError("unavailable", "Too much waits."));
  await expect(page.read(performance.now())).rejects.toThrow("Too much waits.");
  expect(await page.read(performance.now())).toMatchObject({ stats: { total: 2 }, again: 2000 });
  page.leave();
});
