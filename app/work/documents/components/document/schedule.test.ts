import { describe, expect, it } from "vitest";
import { HOUR } from "~/core/durations";
import { SCHEDULES } from "../../ingestion/ingest.shared";
import { scheduleLabel, schedulesWith } from "./schedule";

describe("the refresh schedule's options", () => {
  it("include the usual intervals", () => {
    expect(schedulesWith(null)).toEqual(SCHEDULES);
    expect(schedulesWith(24 * HOUR)).toEqual(SCHEDULES);
  });

  it("include the current interval if it is another one", () => {
    const choice = schedulesWith(2 * HOUR);
    expect(choice.map(({ label }) => label).slice(0, 4)).toEqual([
      "Never",
      "Every hour",
      "Every 2 hours",
      "Every day",
    ]);
    expect(choice).toContainEqual({ every: 2 * HOUR, label: "Every 2 hours" });
  });

  it.each([
    [null, "Never"],
    [1.5 * HOUR, "Every 1.5 hours"],
    [36 * HOUR, "Every 36 hours"],
    [72 * HOUR, "Every 3 days"],
  ])("label %s ms as %s", (every, label) => {
    expect(scheduleLabel(every)).toBe(label);
  });
});
