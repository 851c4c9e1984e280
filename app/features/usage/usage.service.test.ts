import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { priceTokens, readUsage, recordUsage } from "./usage.service.server";

describe("usage", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("prices a known model by its provider's list", () => {
    // 1,000 in at $2.50 and 100 out at $10 per million tokens.
    expect(priceTokens("openai", "gpt-4o", 1000, 100)).toBe(3500);
    expect(priceTokens("anthropic", "claude-sonnet-4-5", 1_000_000, 0)).toBeGreaterThan(0);
    expect(priceTokens("custom", "llama3-70b-8192", 1000, 100, "groq")).not.toBe(0);
  });

  it("knows no price where it can't", () => {
    expect(priceTokens("openai", "nobody-knows-me", 1000, 100)).toBeNull();
    expect(priceTokens("custom", "gpt-4o", 1000, 100)).toBeNull();
    expect(priceTokens("openai", "gpt-4o", undefined, 100)).toBeNull();
    expect(priceTokens("built-in", "quarterdeck-offline", null, null)).toBe(0);
  });

  it("records a call and reads it back to its own organisation", () => {
    const id = transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: "prv_1",
        providerType: "openai",
        model: "gpt-4o",
        inputTokens: 1000,
        outputTokens: 100,
        firstTokenMs: 210.6,
        durationMs: 900,
        outcome: "ok",
      }),
    );
    expect(readUsage(test.actors.viewer, [id]).get(id)).toEqual({
      id,
      model: "gpt-4o",
      inputTokens: 1000,
      outputTokens: 100,
      costMicros: 3500,
      firstTokenMs: 211,
      durationMs: 900,
      outcome: "ok",
    });
    expect(readUsage({ orgId: "org_other" }, [id]).size).toBe(0);
  });

  it("keeps unknown figures unknown, and nonsense too", () => {
    const id = transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: null,
        providerType: "custom",
        model: "m",
        inputTokens: Number.NaN,
        outputTokens: -3,
        durationMs: 5,
        outcome: "error",
        errorCode: "provider_timeout",
      }),
    );
    expect(readUsage(test.actors.member, [id]).get(id)).toMatchObject({
      inputTokens: null,
      outputTokens: null,
      costMicros: null,
      firstTokenMs: null,
    });
  });
});
