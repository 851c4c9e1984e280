import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { transaction } from "~/core/db.server";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import type { CatalogueQuery } from "./catalogue.schema";
import { listCatalogue } from "./catalogue.service.server";
import { saveModel } from "./model-settings.service.server";
import { insertProviderRow } from "./models.repo.server";

describe("the catalogue", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    vi.stubEnv("OPENAI_API_KEY", "value");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    test.close();
  });

  const list = (query: Partial<CatalogueQuery> = {}) =>
    listCatalogue(test.actors.viewer, { search: "", filter: "all", ...query });
  const provider = (type: string, models: unknown[], config = {}) =>
    transaction((tx) =>
      insertProviderRow(tx, {
        id: `prv_${type}`,
        orgId: test.actors.admin.orgId,
        type,
        displayName: type,
        enabled: true,
        config,
        models,
        modelsAt: 1,
        priority: 0,
        createdAt: 1,
        updatedAt: 1,
      }),
    );

  it("names at least 40 current models that talk, each once, with length, abilities and a dated price", () => {
    const chat = list().filter(({ kind }) => kind === "chat");
    expect(chat.length).toBeGreaterThanOrEqual(40);
    expect(new Set(chat.map(({ id }) => id)).size).toBe(chat.length);
    for (const model of chat) {
      expect(model).toMatchObject({
        name: expect.stringMatching(/\S/),
        cost: { input: expect.any(Number), output: expect.any(Number) },
        priceSource: "list",
        pricesAt: "2026-09-23",
        callable: false,
      });
      expect([model.id, model.maxTokens]).toEqual([model.id, expect.toSatisfy((n: number) => n > 4096)]);
      expect(model.capabilities).toContain("text");
    }
    expect(new Set(chat.map(({ provider }) => provider))).toEqual(
      new Set([
        "openai",
        "anthropic",
        "google",
        "mistral",
        "deepseek",
        "x-ai",
        "moonshotai",
        "cohere",
        "perplexity",
        "groq",
      ]),
    );
  });

  it("names no model that only hears, draws or was taken off", () => {
    const ids = list().map(({ id }) => id);
    for (const wrong of [
      "whisper-1",
      "gpt-image-1",
      "gpt-4o-realtime-preview",
      "text-davinci-003",
      "claude-2",
    ]) {
      expect(ids).not.toContain(wrong);
    }
    expect(ids).toEqual(
      expect.arrayContaining(["gpt-4o", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-pro"]),
    );
  });

  it("marks what is recommended and what calls tools, and keeps embedding models apart", () => {
    const recommended = list({ filter: "recommended" });
    expect(recommended.map(({ id }) => id)).toEqual(["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]);
    expect(recommended.every(({ enhanced }) => enhanced)).toBe(true);
    expect(list({ filter: "embedding" })).toContainEqual(
      expect.objectContaining({ id: "text-embedding-3-small", cost: { input: 0.00002, output: 0 } }),
    );
  });

  it("says what can be called, from how many providers, and adds what only they serve", () => {
    addKey(test.actors.admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    provider("openai", ["gpt-4o"]);
    provider("custom", [{ id: "gpt-4o" }, { id: "house-model" }], { baseUrl: "http://house.example/v1" });
    expect(list({ filter: "callable" })).toMatchObject([
      { id: "gpt-4o", provider: "openai", callable: true, providers: 2 },
      {
        id: "house-model",
        provider: "custom",
        providers: 1,
        cost: { input: null, output: null },
        pricesAt: null,
      },
    ]);
    expect(list({ search: "HOUSE" }).map(({ id }) => id)).toEqual(["house-model"]);
  });

  it("shows what an admin set: another price, hidden, recommended", () => {
    saveModel(test.actors.admin, "gpt-4o", {
      cost: { input: 1, output: 2 },
      hidden: true,
      recommended: true,
      name: "The one",
    });
    expect(list({ filter: "hidden" })).toMatchObject([
      {
        id: "gpt-4o",
        name: "The one",
        cost: { input: 1, output: 2 },
        priceSource: "admin",
        pricesAt: null,
        recommended: true,
      },
    ]);
  });
});
