import { describe, expect, it } from "vitest";
import { momentsOf } from "./search.service.server";

const moments = (from: string, to: string, timeZone: string) => {
  const found = momentsOf({ from, to }, timeZone);
  return [found.from, found.to].map((at) => at !== undefined && new Date(at).toISOString().slice(0, 16));
};

describe("days", () => {
  it("include the last one", () => {
    expect(moments("2026-07-01", "2026-07-02", "UTC")).toEqual(["2026-07-01T00:00", "2026-07-03T00:00"]);
    expect(momentsOf({}, "UTC")).toEqual({ from: undefined, to: undefined });
  });

  it.each([
    ["Europe/Berlin", "2026-07-01", "2026-06-30T22:00", "2026-07-01T22:00"],
    ["America/Los_Angeles", "2026-12-31", "2026-12-31T08:00", "2027-01-01T08:00"],
    ["Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15", "2026-01-01T18:15"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00"],
    ["America/Santiago", "2024-09-08", "2024-09-08T04:00", "2024-09-09T03:00"],
    ["Asia/Beirut", "2024-03-31", "2024-03-30T22:00", "2024-03-31T21:00"],
  ])("are those of %s, on %s", (zone, day, from, to) => {
    expect(moments(day, day, zone)).toEqual([from, to]);
  });
});
