import { describe, expect, it } from "vitest";
import { scheduleLine } from "../schedule.shared";
import { findTriggerType, triggerTypes } from "./index.server";
import { describeSchedule, nextTimes, schedule } from "./schedule.trigger.server";
import { webhook } from "./webhook.trigger.server";

/** Fields that a person fills in. */
const NEEDED: Record<string, Record<string, unknown>> = {
  feed: { url: "https://example.com/feed.xml" },
  email: { host: "imap.example.com", user: "ada@example.com", key: "key_1" },
};

describe("the registry of triggers", () => {
  it("has the palette's labels in order, each with defaults that its schema accepts", () => {
    expect(triggerTypes.map(({ label }) => label)).toEqual([
      "Manual Trigger",
      "Schedule Trigger",
      "Webhook Trigger",
      "Failed Run Trigger",
      "New Document Trigger",
      "Budget Trigger",
      "Feed Trigger",
      "Email Trigger",
      "Tool Trigger",
      "Form Trigger",
    ]);
    for (const { type, config, defaults, fields } of triggerTypes) {
      const filled = { ...defaults, ...NEEDED[type] };
      expect(config.parse(filled)).toEqual(filled);
      expect(Object.keys(defaults).sort()).toEqual(fields.map(({ name }) => name).sort());
    }
    expect(findTriggerType("webhook")?.defaults).toMatchObject({ method: "POST" });
    expect(findTriggerType("constructor")).toBeUndefined();
  });
});

describe("a schedule", () => {
  it.each([
    ["0 0 30 2 *", "", "This schedule has no due time. Change the day or month"],
    ["* * * * * *", "", "five parts"],
    ["every day", "", "five parts"],
    ["61 9 * * *", "", "minute 0–59"],
    ["5/10 9 * * *", "", "5-59/10"],
    ["0 9 32 * *", "", "day 1–31"],
    ["", "", "Enter a cron expression"],
    ["0 9 * * *", "Mars/Olympus", "a time zone such as"],
  ])("refuses %s in %s", (cron, timeZone, message) => {
    const parsed = schedule.config.safeParse({ cron, timeZone });
    expect(parsed.error?.issues.map((issue) => issue.message).join()).toContain(message);
  });

  it("computes its next times in its own time zone, else the organization's", () => {
    const from = Date.parse("2026-03-27T12:00:00Z");
    const at = (timeZone: string) =>
      nextTimes({ cron: "0 9 * * *", timeZone }, from, 3, "UTC").map((time) => new Date(time).toISOString());
    expect(at("")).toEqual([
      "2026-03-28T09:00:00.000Z",
      "2026-03-29T09:00:00.000Z",
      "2026-03-30T09:00:00.000Z",
    ]);
    // Summer time begins on the 29th.
    expect(at("Europe/Berlin")).toEqual([
      "2026-03-28T08:00:00.000Z",
      "2026-03-29T07:00:00.000Z",
      "2026-03-30T07:00:00.000Z",
    ]);
  });
});

describe("a webhook", () => {
  const problemsOf = (config: object) =>
    webhook.config.safeParse(config).error?.issues.map(({ path: [field], message }) => [field, message]) ??
    [];

  it("with a scheme needs a key, and a header if the scheme has none", () => {
    expect(problemsOf({ signature: "github" })).toEqual([["signatureKey", "Choose a key"]]);
    expect(problemsOf({ signature: "hmac", signatureKey: "key_1" })).toEqual([
      ["signatureHeader", "Enter the header that has the signature"],
    ]);
    expect(problemsOf({ signature: "hmac", signatureKey: "key_1", signatureHeader: "X Y" })).toEqual([
      ["signatureHeader", "Enter a header's name, such as X-Signature"],
    ]);
    expect(problemsOf({ signature: "standard", signatureKey: "key_1" })).toEqual([]);
    expect(problemsOf({})).toEqual([]);
  });
});

describe("a schedule in words", () => {
  const from = Date.parse("2026-11-26T12:00:00Z");

  it.each([
    ["0 9 * * 1-5", "Europe/Berlin", "Weekdays at 09:00, Europe/Berlin; next: Fri 27 Nov"],
    ["0 9 * * *", "", "Every day at 09:00, Asia/Tokyo; next: Fri 27 Nov"],
    ["*/15 * * * *", "UTC", "Every 15 minutes, UTC; next: today at 12:15"],
    ["*/7 * * * *", "UTC", "Every 7 minutes, beginning anew each hour, UTC; next: today at 12:07"],
    ["0 */5 * * *", "UTC", "On the hour, every 5 hours, beginning anew each day, UTC; next: today at 15:00"],
    [
      "0 0 1 1 *",
      "UTC",
      "At 00:00, on day 1 of the month, only in January, UTC; next: Fri 1 Jan 2027 at 00:00",
    ],
  ])("%s in %s", (cron, timeZone, line) => {
    const text = describeSchedule({ cron, timeZone }, "Asia/Tokyo", from);
    expect(text && scheduleLine(text)).toBe(line);
  });

  it("says nothing about an invalid one", () => {
    expect(describeSchedule({ cron: "often", timeZone: "" }, "UTC", from)).toBeUndefined();
  });
});
