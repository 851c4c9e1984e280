import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { chooseModel, updateUserSettings } from "~/team/members/preferences.service.server";
import { readSession, startSession } from "~/team/members/session.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { saveRouting } from "./model-settings.service.server";
import { insertProviderRow, type ProviderRow } from "./models.repo.server";
import { dashboardModel, listModels, newChatModel, resolveModel, topBarModel } from "./models.service.server";

describe("models", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let actor: Actor;
  let order = 0;
  beforeEach(() => {
    test = openTestDatabase();
    actor = test.actors.member;
    vi.stubEnv("OPENAI_API_KEY", "value");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    test.close();
  });

  /** A provider as the database holds it, in the order of the calls. */
  function provider(row: Partial<ProviderRow> = {}): void {
    const made = {
      id: `prv_${++order}`,
      displayName: "Lab",
      type: "custom",
      enabled: true,
      models: [],
      ...row,
    };
    const config =
      made.type === "custom" ? { baseUrl: "http://lab.example/v1", ...row.config } : (row.config ?? {});
    transaction((tx) =>
      insertProviderRow(tx, {
        modelsAt: null,
        priority: 0,
        createdAt: order,
        updatedAt: order,
        orgId: actor.orgId,
        ...made,
        config,
      }),
    );
  }
  const ids = () => listModels(actor).map((model) => model.id);

  it("lists only the built-in model, as the default, until a provider is set up", () => {
    const models = listModels(actor);
    expect(models).toMatchObject([{ id: OFFLINE_MODEL, providerId: null, available: true }]);
    expect(topBarModel(actor, models)).toBe(OFFLINE_MODEL);
    expect(newChatModel(actor, models)).toBe(OFFLINE_MODEL);
  });

  it("list those of the default provider first, which the picker prefers then", () => {
    addKey(test.actors.admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    provider({ id: "first", models: ["a"] });
    provider({ id: "second", type: "openai", models: ["gpt-x"] });
    expect(ids()).toEqual(["gpt-x", "a", OFFLINE_MODEL]);
    expect(topBarModel(actor, listModels(actor))).toBe("gpt-x");
    updateSettings(test.actors.admin, "ai", { defaultProvider: "google" });
    expect(ids()).toEqual(["a", "gpt-x", OFFLINE_MODEL]);
  });

  it("list each id once, from the first provider that serves it, with the built-in one last", () => {
    provider({ id: "first", models: ["a", "b"] });
    provider({ id: "second", models: ["b", "c"], config: { models: ["extra"] } });
    expect(ids()).toEqual(["a", "b", "extra", "c", OFFLINE_MODEL]);
    expect(listModels(actor)[1]).toMatchObject({
      id: "b",
      providerId: "first",
      maxTokens: 4096,
      cost: { input: null, output: null },
    });
    expect(topBarModel(actor, listModels(actor))).toBe("a");
    expect(resolveModel(actor, "b")).toMatchObject({ modelId: "b" });
    expect(resolveModel(actor, OFFLINE_MODEL)).toMatchObject({ modelId: OFFLINE_MODEL });
  });

  it("leave out what can't be called: disabled, without a key, of an unknown type", () => {
    provider({ enabled: false, models: ["off"] });
    vi.stubEnv("OPENAI_API_KEY", "");
    provider({ type: "openai", models: ["gpt-4o"] });
    provider({ type: "from-the-future", models: ["new"] });
    expect(ids()).toEqual([OFFLINE_MODEL]);
    // The variable of the type serves without a reference.
    vi.stubEnv("OPENAI_API_KEY", "value-of-openai");
    expect(ids()).toEqual(["gpt-4o", OFFLINE_MODEL]);
    addKey(test.actors.admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    expect(ids()).toEqual(["gpt-4o", OFFLINE_MODEL]);
    vi.stubEnv("OPENAI_API_KEY", "");
    expect(ids()).toEqual([OFFLINE_MODEL]);
  });

  it("carry name, length and price where they are known", () => {
    addKey(test.actors.admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    provider({ type: "openai", models: ["gpt-4o", "my-fine-tune"] });
    expect(listModels(actor)).toMatchObject([
      {
        maxTokens: 128_000,
        cost: { input: 0.0025, output: 0.01 },
        enhanced: true,
        mcpCapabilities: ["tools"],
      },
      {
        name: "my-fine-tune",
        maxTokens: 4096,
        cost: { input: null, output: null },
        capabilities: ["text"],
        enhanced: false,
      },
      { id: OFFLINE_MODEL },
    ]);
  });

  it("of the organization are everybody's default who chose none that can be called", () => {
    provider({ models: ["gpt-4o", "gpt-5-mini", "house"] });
    const defaults = () =>
      [topBarModel, newChatModel, dashboardModel].map((choose) => choose(actor, listModels(actor)));
    expect(defaults()).toEqual(["gpt-5-mini", "gpt-5-mini", "gpt-4o"]);
    saveRouting(test.actors.admin, { policy: "priority", defaultModel: "house" });
    expect(defaults()).toEqual(["house", "house", "house"]);
    updateUserSettings(actor, { preferredModel: "gpt-4o" });
    expect(defaults()).toEqual(["gpt-4o", "gpt-4o", "gpt-4o"]);
    updateUserSettings(actor, { preferredModel: "gone" });
    expect(defaults()).toEqual(["house", "house", "house"]);
    saveRouting(test.actors.admin, { policy: "priority", defaultModel: "gone" });
    expect(defaults()).toEqual(["gpt-5-mini", "gpt-5-mini", "gpt-4o"]);
  });

  it("chooses in the order session, preference, recommended, gpt-4o, first", () => {
    provider({ models: ["zeta", "gpt-4o"] });
    const { secret } = startSession(actor.userId, {});
    const signedIn = readSession(secret)?.actor ?? actor;
    const chosen = () => topBarModel(signedIn, listModels(signedIn));
    expect(chosen()).toBe("gpt-4o");
    provider({ models: ["gpt-5-mini"] });
    expect(chosen()).toBe("gpt-5-mini");
    updateUserSettings(signedIn, { preferredModel: "zeta" });
    expect(chosen()).toBe("zeta");
    chooseModel(signedIn, { model: "gpt-4o" });
    updateUserSettings(signedIn, { preferredModel: "zeta" });
    expect(chosen()).toBe("gpt-4o");
    chooseModel(signedIn, { model: "gone" });
    expect(chosen()).toBe("gpt-5-mini");
  });

  it("give the chat screen gpt-5-mini, else its fallbacks in their order, else the first", () => {
    const list = (...names: string[]) => names.map((id) => ({ ...listModels(actor)[0], id }) as never);
    expect(newChatModel(actor, list("a", "gpt-4", "gpt-4o", "gpt-5-mini"))).toBe("gpt-5-mini");
    expect(newChatModel(actor, list("a", "gemini-2.5-flash", "gpt-3.5-turbo", "gpt-4"))).toBe("gpt-4");
    expect(newChatModel(actor, list("a", "b"))).toBe("a");
    expect(newChatModel(actor, [])).toBe("gpt-4o");
  });

  it("of another default provider come first where nobody chose one", () => {
    addKey(test.actors.admin, { provider: "openai", alias: "OPENAI_API_KEY" });
    provider({ type: "openai", models: ["gpt-5-mini", "gpt-4o"] });
    provider({ type: "anthropic", models: ["claude-haiku-4-5", "claude-sonnet-4-5"] });
    const defaults = () => [newChatModel(actor, listModels(actor)), dashboardModel(actor, listModels(actor))];
    expect(defaults()).toEqual(["gpt-5-mini", "gpt-4o"]);
    updateSettings(test.actors.admin, "ai", { defaultProvider: "anthropic" });
    // Without its key it can't answer.
    expect(defaults()).toEqual(["gpt-5-mini", "gpt-4o"]);
    vi.stubEnv("ANTHROPIC_API_KEY", "value-of-anthropic");
    expect(defaults()).toEqual(["claude-sonnet-4-5", "claude-sonnet-4-5"]);
  });

  it("say why a model can't be called", () => {
    const refusal = (id: string) => {
      try {
        return resolveModel(actor, id);
      } catch (error) {
        return error;
      }
    };
    expect(refusal("gpt-4o")).toMatchObject({
      code: "provider_model",
      message: expect.stringContaining('No provider offers "gpt-4o"'),
      fields: { model: ['Unknown model "gpt-4o"'] },
    });
    vi.stubEnv("OPENAI_API_KEY", "");
    provider({ models: ["a"], enabled: false, displayName: "Sleeper" });
    provider({ type: "openai", displayName: "Main", models: ["gpt-4o"] });
    expect(refusal("a")).toMatchObject({
      code: "provider_missing",
      message: expect.stringContaining("Sleeper"),
    });
    expect(refusal("nope")).toMatchObject({
      code: "provider_model",
      fields: { model: ['Unknown model "nope"'] },
    });
    expect(refusal("gpt-4o")).toMatchObject({
      code: "provider_key",
      message: expect.stringContaining("Main"),
    });
    provider({ models: ["gpt-4o"], id: "spare" });
    expect(refusal("gpt-4o")).toMatchObject({ modelId: "gpt-4o" });
  });
});
