import { describe, expect, it } from "vitest";
import { dayIn, dayLabels } from "~/core/time-zone";

const at = (text: string) => Date.parse(text);

describe("the day of a call", () => {
  it.each([
    ["2026-07-01T21:59:59.999Z", "Europe/Vienna", "2026-07-01"],
    ["2026-07-01T22:00:00.000Z", "Europe/Vienna", "2026-07-02"],
    ["2026-01-01T22:59:59.999Z", "Europe/Vienna", "2026-01-01"],
    ["2026-01-01T23:00:00.000Z", "Europe/Vienna", "2026-01-02"],
    ["2026-01-01T00:00:00.000Z", "America/Los_Angeles", "2025-12-31"],
    ["2026-12-31T23:59:59.999Z", "UTC", "2026-12-31"],
    ["2026-12-31T10:00:00.000Z", "Pacific/Kiritimati", "2027-01-01"],
    ["2026-03-01T18:14:59.999Z", "Asia/Kathmandu", "2026-03-01"],
    ["2026-03-01T18:15:00.000Z", "Asia/Kathmandu", "2026-03-02"],
    // Daylight saving begins: a 23-hour day.
    ["2026-03-28T22:59:59.999Z", "Europe/Vienna", "2026-03-28"],
    ["2026-03-28T23:00:00.000Z", "Europe/Vienna", "2026-03-29"],
    ["2026-03-29T21:59:59.999Z", "Europe/Vienna", "2026-03-29"],
    ["2026-03-29T22:00:00.000Z", "Europe/Vienna", "2026-03-30"],
    // Daylight saving ends: a 25-hour day.
    ["2026-10-24T22:00:00.000Z", "Europe/Vienna", "2026-10-25"],
    ["2026-10-25T00:30:00.000Z", "Europe/Vienna", "2026-10-25"],
    ["2026-10-25T01:30:00.000Z", "Europe/Vienna", "2026-10-25"],
    ["2026-10-25T22:59:59.999Z", "Europe/Vienna", "2026-10-25"],
    ["2026-10-25T23:00:00.000Z", "Europe/Vienna", "2026-10-26"],
    // Daylight saving begins at midnight: the day starts at 1:00.
    ["2026-09-06T03:59:59.999Z", "America/Santiago", "2026-09-05"],
    ["2026-09-06T04:00:00.000Z", "America/Santiago", "2026-09-06"],
  ])("at %s in %s is %s", (moment, timeZone, day) => {
    expect(dayIn(at(moment), timeZone)).toBe(day);
  });

  it("changes exactly once per midnight through a year", () => {
    const days = new Set<string>();
    let changes = 0;
    let before = "";
    for (let hour = at("2025-12-31T23:00:00Z"); hour < at("2026-12-31T23:00:00Z"); hour += 15 * 60_000) {
      const day = dayIn(hour, "Europe/Vienna");
      if (day !== before) changes += 1;
      before = day;
      days.add(day);
    }
    expect([days.size, changes]).toEqual([365, 365]);
  });

  it("knows no zone that doesn't exist", () => {
    expect(() => dayIn(0, "Europe/Atlantis")).toThrow(RangeError);
  });
});

it("labels moments by their day, and by the time where a day repeats", () => {
  const times = ["2026-11-29T10:00:00Z", "2026-11-30T10:00:00Z", "2026-11-30T15:05:00Z"];
  expect(dayLabels(times, "Europe/Vienna")).toEqual(["Nov 29", "Nov 30, 11:00", "Nov 30, 16:05"]);
  expect(dayLabels([], "UTC")).toEqual([]);
});
