import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db, transaction } from "~/core/db.server";
import { readUsage } from "~/team/usage/usage.service.server";
import { usageRecords } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { insertProviderRow, saveModelSettings, updateProviderRow } from "./models.repo.server";
import type { ListedModel } from "./models.schema";
import { PRICE_LIST } from "./price-list.server";
import { costOf, priceFor, recordCall } from "./pricing.service.server";

describe("pricing", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const tokens = { input: 1000, output: 100 };
  const price = (providerType: string, model: string, more = {}, counts: object = tokens) =>
    priceFor(ORG_ID, { providerType, model, providerId: null, ...more }, { ...tokens, ...counts });
  const setPrice = (modelId: string, input: number, output: number) =>
    transaction((tx) =>
      saveModelSettings(tx, { orgId: ORG_ID, modelId }, { inputCost: input, outputCost: output }, 1),
    );
  const provider = (cost?: ListedModel["cost"]) =>
    transaction((tx) =>
      insertProviderRow(tx, {
        id: "prv_1",
        orgId: ORG_ID,
        type: "openrouter",
        displayName: "Hub",
        enabled: true,
        config: {},
        models: [{ id: "openai/gpt-4o", ...(cost ? { cost } : {}) }],
        modelsAt: 1,
        priority: 0,
        createdAt: 1,
        updatedAt: 1,
      }),
    );

  it("uses the prices of the provider's list", () => {
    // 1,000 in at $2.50 and 100 out at $10 per million tokens.
    expect(price("openai", "gpt-4o")).toBe(3500);
    expect(price("anthropic", "claude-sonnet-4-5", {}, { input: 1_000_000, output: 0 })).toBeGreaterThan(0);
    expect(price("custom", "llama3-70b-8192", { pricing: "groq" })).toBeGreaterThan(0);
  });

  it("charges cached tokens less where the list has a price for them, and in full elsewhere", () => {
    // 200 of the 1,000 in at $2.50, 800 read from the cache at $1.25 and 100 out at $10 per million tokens.
    expect(price("openai", "gpt-4o", {}, { cacheRead: 800 })).toBe(2500);
    // 100 at $3, 800 read at $0.30 and 100 written at $3.75, and 100 out at $15.
    expect(price("anthropic", "claude-sonnet-4-5", {}, { cacheRead: 800, cacheWrite: 100 })).toBe(2415);
    // 60 of the 100 written for an hour, at $6.
    const written = { cacheRead: 800, cacheWrite: 100, cacheWrite1h: 60 };
    expect(price("anthropic", "claude-sonnet-4-5", {}, written)).toBe(2550);
    // No more than was written.
    expect(price("anthropic", "claude-sonnet-4-5", {}, { cacheWrite: 100, cacheWrite1h: 900 })).toBe(4800);
    provider({ input: 0.001, output: 0.002 });
    expect(price("openrouter", "openai/gpt-4o", { providerId: "prv_1" }, { cacheRead: 800 })).toBe(1200);
    setPrice("gpt-4o", 0.1, 0.2);
    expect(price("openai", "gpt-4o", {}, { cacheRead: 800 })).toBe(120_000);
  });

  it("charges cached tokens by a provider's own list, which is shown without them", () => {
    const cost = { input: 0.001, output: 0.002, cacheRead: 0.0001, cacheWrite: 0.00125 };
    provider(cost);
    const own = (counts: object) => price("openrouter", "openai/gpt-4o", { providerId: "prv_1" }, counts);
    // 100 of the 1,000 in at $1, 800 read at $0.10 and 100 written at $1.25, and 100 out at $2 per million tokens.
    expect(own({ cacheRead: 800, cacheWrite: 100 })).toBe(505);
    // No more than came in.
    expect(own({ cacheRead: 5000, cacheWrite: 9 })).toBe(300);
    const shown = costOf({ providerType: "openrouter", model: "openai/gpt-4o" }, new Map(), cost);
    expect(shown).toEqual({ cost: { input: 0.001, output: 0.002 }, source: "provider" });
  });

  it("charges search units where an admin has entered their price, beside tokens", () => {
    const change = { inputCost: 0.001, outputCost: 0, searchUnitCost: 2 };
    transaction((tx) => saveModelSettings(tx, { orgId: ORG_ID, modelId: "ranker" }, change, 1));
    const rank = (searchUnits?: number) => price("custom", "ranker", {}, { output: 0, searchUnits });
    expect([rank(3), rank(0), rank()]).toEqual([7000, 1000, null]);
  });

  it("charges audio by the list's minutes or an admin's units, and not as free for having no tokens", () => {
    const none = { input: 0, output: 0 };
    expect(price("openai", "whisper-1", {}, { ...none, audioSeconds: 90 })).toBe(9000);
    expect(price("custom", "whisper-1", {}, { ...none, audioSeconds: 90 })).toBeNull();
    expect(price("local-ollama", "whisper-1", {}, { ...none, audioSeconds: 90 })).toBe(0);
    // 900 of the 1,000 are audio at $6 per million tokens, and 100 text at $2.50.
    expect(price("openai", "gpt-4o-transcribe", {}, { output: 0, audioTokens: 900 })).toBe(5650);
    const change = { inputCost: 0, outputCost: 0, audioMinuteCost: 0.02, characterCost: 30 };
    for (const modelId of ["whisper-1", "reader"])
      transaction((tx) => saveModelSettings(tx, { orgId: ORG_ID, modelId }, change, 1));
    expect(price("openai", "whisper-1", {}, { ...none, audioSeconds: 90 })).toBe(30_000);
    expect(price("custom", "reader", {}, { ...none, characters: 500 })).toBe(15_000);
  });

  it("returns unknown prices without a source", () => {
    expect(price("openai", "nobody-knows-me")).toBeNull();
    expect(price("custom", "gpt-4o")).toBeNull();
    expect(price("openai", "gpt-4o", {}, { input: undefined })).toBeNull();
  });

  it.each([
    ["tiered", "anthropic", "claude-sonnet-4-5"],
    ["flat", "openai", "gpt-4o"],
  ])("returns no %s price for an implausible count, and ignores one of cached tokens", (_, type, model) => {
    expect(price(type, model, {}, { output: -1 })).toBeNull();
    expect(price(type, model, {}, { input: Number.NaN })).toBeNull();
    expect(price(type, model, {}, { cacheRead: -1, cacheWrite: Number.NaN })).toBe(price(type, model));
  });

  it("charges nothing for the built-in model, self-hosted models and calls without tokens", () => {
    expect(price("built-in", "quarterdeck-offline", {}, { input: null, output: null })).toBe(0);
    expect(price("local-ollama", "llama3.2:3b", {}, { input: null })).toBe(0);
    // Also where the price isn't known.
    expect(price("custom", "gpt-4o", {}, { input: 0, output: 0 })).toBe(0);
  });

  it("prefers a provider's own list to the dated one, also after a refresh", () => {
    provider({ input: 0.001, output: 0.002 });
    const own = { providerId: "prv_1" };
    expect(price("openrouter", "openai/gpt-4o", own)).toBe(1200);
    const models = [{ id: "openai/gpt-4o", cost: { input: 0.01, output: 0 } }];
    transaction((tx) => updateProviderRow(tx, ORG_ID, "prv_1", { models, modelsAt: 2 }));
    expect(price("openrouter", "openai/gpt-4o", own)).toBe(10_000);
  });

  it("prefers an admin's prices to all others, for the model's id with every provider", () => {
    provider({ input: 0.001, output: 0.002 });
    setPrice("gpt-4o", 0.1, 0.2);
    expect(price("openai", "gpt-4o")).toBe(120_000);
    expect(price("openrouter", "openai/gpt-4o", { providerId: "prv_1" })).toBe(120_000);
    expect(price("custom", "my-deployment", { requestedModel: "gpt-4o" })).toBe(120_000);
    setPrice("llama3.2:3b", 0.001, 0.001);
    expect(price("local-ollama", "llama3.2:3b")).toBe(1100);
  });

  const call = {
    providerId: "prv_1",
    providerType: "openai",
    model: "gpt-4o",
    inputTokens: 1000,
    outputTokens: 100,
    durationMs: 900,
    outcome: "ok",
  } as const;

  it.each([
    ["prices a call by the list", call, { inputTokens: 1000, costMicros: 3500 }],
    [
      "prices cached tokens by the list and keeps the total count",
      { ...call, cacheReadTokens: 800 },
      { inputTokens: 1000, costMicros: 2500 },
    ],
    [
      "knows no price without counts",
      { ...call, inputTokens: Number.NaN, outputTokens: -3 },
      { inputTokens: null, costMicros: null },
    ],
  ])("%s", (_, input, expected) => {
    const id = transaction((tx) => recordCall(tx, test.actors.member, input));
    expect(readUsage(test.actors.viewer, [id]).get(id)).toMatchObject(expected);
  });

  it.each([
    ["answered under a provider's own id", { model: "openai/gpt-4o", requestedModel: "gpt-4o" }],
    ["answered by a deployment", { model: "my-deployment", requestedModel: "gpt-4o" }],
    ["failed before any provider", { model: "openai/gpt-4o" }],
  ])("records a call that was %s under the console's id", (_, named) => {
    transaction((tx) => recordCall(tx, test.actors.member, { ...call, ...named }));
    expect(db().select({ model: usageRecords.model }).from(usageRecords).all()).toEqual([
      { model: "gpt-4o" },
    ]);
  });

  it("reports the version of the installed list", () => {
    const manifest = readFileSync("node_modules/@pydantic/genai-prices/package.json", "utf8");
    // The date belongs to the version: who updates one updates the other.
    expect({ version: JSON.parse(manifest).version, date: PRICE_LIST.date }).toEqual({
      version: PRICE_LIST.version,
      date: "2026-09-23",
    });
  });
});
