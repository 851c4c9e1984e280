import { describe, expect, it } from "vitest";
import { signPayload, verifySignature } from "~/core/webhook-signature.server";
import { findTriggerType, triggerTypes } from "./index.server";
import { nextTimes, schedule } from "./schedule.trigger.server";

describe("the registry of triggers", () => {
  it("has the palette's labels in order, each with defaults that its schema accepts", () => {
    expect(triggerTypes.map(({ label }) => label)).toEqual([
      "Manual Trigger",
      "Schedule Trigger",
      "Webhook Trigger",
    ]);
    for (const { config, defaults, fields } of triggerTypes) {
      expect(config.parse(defaults)).toEqual(defaults);
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

describe("a webhook's signature", () => {
  const now = Date.parse("2026-05-01T10:00:00Z");
  const timestamp = String(now / 1000);
  const rawBody = Buffer.from('{"a":1}');
  const signature = signPayload("secret", timestamp, rawBody);
  const call = { secret: "secret", timestamp, signature, rawBody, now };

  it("is the HMAC-SHA256 of timestamp, dot and raw body", () => {
    expect(verifySignature(call)).toEqual({ ok: true, replayId: signature.slice(7) });
    expect(verifySignature({ ...call, signature: `sha256=${"0".repeat(64)}, ${signature}` })).toMatchObject({
      ok: true,
    });
  });

  it.each([
    ["another secret", { secret: "other" }, "doesn't match"],
    ["another body", { rawBody: Buffer.from('{"a":2}') }, "doesn't match"],
    ["a timestamp that wasn't signed", { timestamp: String(now / 1000 + 1) }, "doesn't match"],
    ["an old call", { now: now + 301_000 }, "seconds off"],
    ["a call of the future", { now: now - 301_000 }, "seconds off"],
    ["no signature", { signature: null }, "missing"],
    ["no timestamp", { timestamp: null }, "missing"],
    ["a timestamp that is none", { timestamp: "now" }, "Unix time"],
    ["a signature of another form", { signature: "md5=abc" }, "is not sha256"],
  ])("refuses %s", (_, change, reason) => {
    expect(verifySignature({ ...call, ...change })).toEqual({
      ok: false,
      reason: expect.stringContaining(reason),
    });
  });
});
