import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { listConfiguredModels } from "./catalogue.service.server";
import { CustomModelInput, ModelPatch } from "./model-settings.schema";
import {
  addCustomModel,
  addModel,
  readModelSettings,
  readRoutingSettings,
  removeModel,
  saveModel,
  saveRouting,
} from "./model-settings.service.server";
import { insertProviderRow, replaceDiscovered } from "./models.repo.server";
import { listModels, newRouteRecord, resolveModel, routeCall } from "./models.service.server";
import { priceFor } from "./pricing.service.server";
import { ProviderHttpError } from "./provider-errors.server";
import { moveProvider } from "./providers.service.server";

describe("models' settings", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let order = 0;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  function provider(id: string, models: unknown[], more = {}): void {
    transaction((tx) =>
      insertProviderRow(tx, {
        id,
        orgId: test.actors.admin.orgId,
        type: "custom",
        displayName: id,
        enabled: true,
        config: { baseUrl: "http://lab.example/v1" },
        models,
        modelsAt: null,
        priority: 0,
        createdAt: ++order,
        updatedAt: order,
        ...more,
      }),
    );
  }
  const offered = () => listModels(test.actors.member).filter((model) => model.providerId !== null);
  const managed = (filter: "all" | "custom" | "openrouter" = "all", search = "") =>
    listConfiguredModels(test.actors.admin, { filter, search });
  const actions = () => listAudit(test.actors.admin, { limit: 20 }).entries.map((entry) => entry.action);
  const custom = (more: object = {}) =>
    CustomModelInput.parse({ id: "house/one", name: "House one", ...more });

  it("take a custom model with the specification's defaults, served by the providers of its type", () => {
    const blank = custom({ id: "house/two", provider: "", maxTokens: "many", cost: { input: "" } });
    expect(addCustomModel(test.actors.admin, blank)).toMatchObject({
      provider: "custom",
      maxTokens: 4096,
      cost: { input: 0, output: 0 },
      capabilities: ["text"],
    });
    removeModel(test.actors.admin, "house/two");
    addCustomModel(test.actors.admin, custom({ maxTokens: "8192", cost: { input: "0.5", output: "1" } }));
    expect(offered()).toEqual([]);
    expect(managed()).toMatchObject([{ id: "house/one", added: true, callable: false, source: "custom" }]);
    provider("lab", []);
    expect(offered()).toMatchObject([
      {
        id: "house/one",
        name: "House one",
        providerId: "lab",
        maxTokens: 8192,
        cost: { input: 0.5, output: 1 },
      },
    ]);
    expect(resolveModel(test.actors.member, "house/one").modelId).toBe("house/one");
    expect(managed("custom", "HOUSE")).toMatchObject([{ callable: true, provider: "custom" }]);
    expect(managed("openrouter")).toEqual([]);
    expect(() => addCustomModel(test.actors.admin, custom())).toThrow("already");
    removeModel(test.actors.admin, "house/one");
    expect(offered()).toEqual([]);
    expect(actions()).toEqual(["model.removed", "model.added", "model.removed", "model.added"]);
  });

  it("don't take a custom model's left out price for nothing", () => {
    provider("lab", [{ id: "best-7b", cost: { input: 1, output: 2 } }]);
    provider("direct", ["gpt-4o"], { type: "openai", config: {} });
    const { orgId } = test.actors.admin;
    const price = (providerId: string, providerType: string, model: string) =>
      priceFor(orgId, { providerId, providerType, model }, { input: 1000, output: 0 });
    for (const id of ["best-7b", "gpt-4o", "house/one"]) {
      const blank = custom({ id, cost: { input: "", output: "" } });
      expect(addCustomModel(test.actors.admin, blank)).toMatchObject({ cost: { input: 0, output: 0 } });
      expect(readModelSettings(test.actors.admin, id).cost).toBeNull();
    }
    expect(price("lab", "custom", "best-7b")).toBe(1_000_000);
    expect(price("direct", "openai", "gpt-4o")).toBe(2500);
    expect(price("lab", "custom", "house/one")).toBeNull();
    const zero = { input: 0, output: 0 };
    expect(offered().find(({ id }) => id === "house/one")).toMatchObject({ cost: zero });
    expect(managed("custom", "house/one")).toMatchObject([{ cost: zero }]);
  });

  it("keep a custom model's price to the providers it was added for", () => {
    provider("lab", []);
    provider("direct", ["gpt-4o"], { type: "openai", config: {} });
    const { orgId } = test.actors.admin;
    const price = (providerId: string, providerType: string, model: string, requestedModel = model) =>
      priceFor(orgId, { providerId, providerType, model, requestedModel }, { input: 1000, output: 0 });
    addCustomModel(test.actors.admin, custom({ id: "gpt-4o", cost: { input: 0.5, output: 0.5 } }));
    expect(price("lab", "custom", "gpt-4o")).toBe(500_000);
    expect(price("direct", "openai", "gpt-4o")).toBe(2500);
    const targets = [{ providerId: "lab", model: "best-7b" }];
    addCustomModel(
      test.actors.admin,
      custom({ id: "gpt-4.1", cost: { input: 3, output: 0 }, routing: { targets } }),
    );
    expect(price("lab", "custom", "best-7b", "gpt-4.1")).toBe(3_000_000);
    expect(price("direct", "openai", "gpt-4.1")).toBe(2000);
  });

  it("keep what was set before a custom model was added under the id", () => {
    provider("direct", ["gpt-4o", "gpt-4.1"], { type: "openai", config: {} });
    const set = { description: "Ours", maxTokens: 9000, capabilities: ["vision"], hidden: true };
    const routing = { fallbacks: ["gpt-4.1"], targets: [] };
    saveModel(test.actors.admin, "gpt-4o", ModelPatch.parse({ ...set, routing }));
    expect(addCustomModel(test.actors.admin, custom({ id: "gpt-4o" }))).toMatchObject({ ...set, routing });
    saveModel(test.actors.admin, "gpt-4.1", { cost: { input: 1, output: 2 } });
    const again = () => addCustomModel(test.actors.admin, custom({ id: "gpt-4.1" }));
    expect(again).toThrow("This ID already has a price");
    expect(readModelSettings(test.actors.admin, "gpt-4.1").cost).toEqual({ input: 1, output: 2 });
  });

  it("take an alias that only the providers it names serve, and leave them to tell of it", () => {
    provider("lab", [{ id: "best-7b", maxTokens: 9000, cost: { input: 1, output: 2 } }]);
    provider("other", []);
    const targets = [{ providerId: "lab", model: "best-7b" }];
    const alias = addCustomModel(test.actors.admin, custom({ routing: { targets } }));
    expect(alias).toMatchObject({ provider: null, maxTokens: null, cost: null, capabilities: null });
    expect(offered().find(({ id }) => id === "house/one")).toMatchObject({
      name: "House one",
      providerId: "lab",
      providers: 1,
      maxTokens: 9000,
      cost: { input: 1, output: 2 },
    });
    const gone = custom({ id: "house/two", routing: { targets: [{ providerId: "gone", model: "x" }] } });
    expect(() => addCustomModel(test.actors.admin, gone)).toThrow("Choose an existing provider");
  });

  it.each([
    [{ id: "" }, "Enter the model's ID"],
    [{ name: " " }, "Enter the model's name"],
    [{ cost: { input: -1 } }, "Enter a price of 0 or more"],
    [{ maxTokens: 0.5 }, "Enter a whole number"],
  ])("refuse a custom model with %o", (wrong, message) => {
    const parsed = CustomModelInput.safeParse({ id: "a", name: "A", ...wrong });
    expect(parsed.error?.issues[0]?.message).toBe(message);
  });

  it("refuse a custom model of an unknown provider type, and one with the built-in model's id", () => {
    expect(() => addCustomModel(test.actors.admin, custom({ provider: "nobody" }))).toThrow("provider type");
    expect(() => addCustomModel(test.actors.admin, custom({ id: "quarterdeck-offline" }))).toThrow("already");
  });

  it("add a discovered model once, leaving its length and price to its provider", () => {
    const found = {
      id: "openai/gpt-4o",
      name: "OpenAI: GPT-4o",
      maxTokens: 1000,
      cost: { input: 9, output: 9 },
      capabilities: ["text" as const],
      downloads: 7,
    };
    transaction((tx) =>
      replaceDiscovered(tx, test.actors.admin.orgId, {
        hub: "openrouter",
        models: [found],
        fallback: false,
        fetchedAt: 1,
      }),
    );
    expect(managed()).toMatchObject([
      { id: "openai/gpt-4o", added: false, cost: { input: 9, output: 9 }, downloads: 7 },
    ]);
    addModel(test.actors.admin, "openai/gpt-4o");
    addModel(test.actors.admin, "openai/gpt-4o");
    expect(actions()).toEqual(["model.added"]);
    expect(managed()).toMatchObject([{ added: true, callable: false, source: "openrouter" }]);
    provider("hub", [], { type: "openrouter", config: { baseUrl: "http://hub.example/api/v1" } });
    expect(() => addModel(test.actors.admin, "nobody/knows")).toThrow("Discover Models");
  });

  it("keep a listed model's settings when a hub's model is removed", () => {
    const models = [
      { id: "openai/gpt-4o", name: "GPT-4o", maxTokens: 1000, capabilities: ["text" as const] },
    ];
    const found = { hub: "openrouter" as const, models, fallback: false, fetchedAt: 1 };
    transaction((tx) => replaceDiscovered(tx, test.actors.admin.orgId, found));
    provider("direct", ["gpt-4o"], { type: "openai", config: {} });
    addModel(test.actors.admin, "openai/gpt-4o");
    saveModel(test.actors.admin, "gpt-4o", { cost: { input: 1, output: 2 } });
    removeModel(test.actors.admin, "openai/gpt-4o");
    expect(managed()).toMatchObject([{ id: "openai/gpt-4o", added: false }]);
    expect(readModelSettings(test.actors.admin, "gpt-4o").cost).toEqual({ input: 1, output: 2 });
    expect(() => removeModel(test.actors.admin, "openai/gpt-4o")).toThrow("Model not found");
    addCustomModel(test.actors.admin, custom({ id: "gpt-4.1" }));
    removeModel(test.actors.admin, "openai/gpt-4.1");
    expect(() => removeModel(test.actors.admin, "gpt-4.1")).toThrow("Model not found");
  });

  it("hide a model from pickers, but not from calls by id", () => {
    provider("lab", ["gpt-4o", "other"]);
    saveModel(test.actors.admin, "openai/gpt-4o", { hidden: true });
    expect(offered().map(({ id }) => id)).toEqual(["other"]);
    expect(resolveModel(test.actors.member, "gpt-4o").modelId).toBe("gpt-4o");
    expect(readModelSettings(test.actors.admin, "gpt-4o")).toMatchObject({ id: "gpt-4o", hidden: true });
  });

  it("change given fields and reset with null", () => {
    provider("lab", ["gpt-4o"]);
    const save = (patch: unknown) => saveModel(test.actors.admin, "gpt-4o", ModelPatch.parse(patch));
    save({ name: "Ours", cost: { input: 1, output: 2 }, recommended: true, capabilities: ["text"] });
    expect(save({ maxTokens: 99 })).toMatchObject({ name: "Ours", maxTokens: 99, recommended: true });
    expect(offered()).toMatchObject([
      { name: "Ours", cost: { input: 1, output: 2 }, recommended: true, enhanced: false, maxTokens: 99 },
    ]);
    save({ name: null, cost: null, recommended: null, capabilities: null, maxTokens: null });
    expect(offered()).toMatchObject([
      {
        name: "GPT-4o",
        cost: { input: null, output: null },
        recommended: false,
        enhanced: true,
        maxTokens: 128_000,
      },
    ]);
    expect(actions()).toEqual(["model.updated", "model.updated", "model.updated"]);
  });

  it("offer a model under its id from providers that know it by another", () => {
    provider("east", ["deployment-7"]);
    provider("west", ["gpt-4o"]);
    const targets = [{ providerId: "east", model: "deployment-7" }];
    saveModel(test.actors.admin, "gpt-4o", { routing: { fallbacks: ["deployment-7"], targets } });
    expect(offered()).toMatchObject([
      { id: "deployment-7", providers: 1 },
      { id: "gpt-4o", providers: 2 },
    ]);
  });

  it("serve an added id by the providers that were named for it alone, each at its own price", () => {
    addCustomModel(test.actors.admin, custom({ id: "team-fast" }));
    provider("east", [{ id: "deployment-7", cost: { input: 3, output: 4 } }]);
    provider("west", ["other"]);
    expect(offered().find(({ id }) => id === "team-fast")).toMatchObject({ providers: 2 });
    const targets = [{ providerId: "east", model: "deployment-7" }];
    saveModel(test.actors.admin, "team-fast", { routing: { fallbacks: [], targets } });
    const fast = () => offered().find(({ id }) => id === "team-fast");
    expect(fast()).toMatchObject({ providers: 1, providerId: "east", cost: { input: 3, output: 4 } });
    const priced = {
      providerId: "east",
      providerType: "custom",
      model: "deployment-7",
      requestedModel: "team-fast",
    };
    const price = () => priceFor(test.actors.admin.orgId, priced, { input: 1000, output: 0 });
    expect(price()).toBe(3_000_000);
    saveModel(test.actors.admin, "team-fast", { cost: { input: 1, output: 1 } });
    expect(fast()).toMatchObject({ cost: { input: 1, output: 1 } });
    expect(price()).toBe(1_000_000);
  });

  it("don't carry a model's price over to the fallback that answers for it", async () => {
    provider("lab", ["big", "small"]);
    saveModel(test.actors.admin, "big", { cost: { input: 9, output: 9 } });
    saveModel(test.actors.admin, "big", { routing: { fallbacks: ["small"], targets: [] } });
    const request = { actor: test.actors.member, model: "big" };
    const { target, end } = await routeCall(request, newRouteRecord(), async (routed) => {
      if (routed.modelId === "big") throw new ProviderHttpError(404, "{}", new Headers());
    });
    end({ outcome: "ok" });
    expect(target).toMatchObject({ modelId: "small", requestedModel: "small" });
    const priced = { ...target, model: target.modelId, requestedModel: target.requestedModel };
    expect(priceFor(test.actors.admin.orgId, priced, { input: 1000, output: 0 })).toBeNull();
  });

  it("refuse a model as its own fallback, a provider that isn't there, and a model no one knows", () => {
    const save = (id: string, routing: object) => () =>
      saveModel(test.actors.admin, id, ModelPatch.parse({ routing }));
    expect(save("gpt-4o", { fallbacks: ["openai/gpt-4o"] })).toThrow("own fallback");
    expect(save("gpt-4o", { targets: [{ providerId: "prv_x", model: "m" }] })).toThrow(
      "an existing provider",
    );
    expect(save("nobody-knows", {})).toThrow("Model not found");
    expect(save("quarterdeck-offline", {})).toThrow("Model not found");
    expect(() => removeModel(test.actors.admin, "gpt-4o")).toThrow("Model not found");
    expect(actions()).toEqual([]);
  });

  it("keep the organization's policy, and the order of its providers", () => {
    const unset = { defaultModel: "", imageModel: "" };
    expect(readRoutingSettings(test.actors.admin)).toEqual({ policy: "priority", ...unset });
    saveRouting(test.actors.admin, { policy: "cheapest" });
    expect(readRoutingSettings(test.actors.admin)).toEqual({ policy: "cheapest", ...unset });
    for (const id of ["a", "b", "c"]) provider(id, ["m"]);
    const move = (id: string, direction: "up" | "down") =>
      moveProvider(test.actors.admin, id, direction).map((row) => row.id);
    expect(move("c", "up")).toEqual(["a", "c", "b"]);
    expect(move("a", "down")).toEqual(["c", "a", "b"]);
    expect(move("c", "up")).toEqual(["c", "a", "b"]);
    expect(offered()).toMatchObject([{ id: "m", providerId: "c", providers: 3 }]);
    expect(actions()).toEqual(["provider.updated", "provider.updated", "settings.updated"]);
  });

  it("take an admin", () => {
    const { member } = test.actors;
    const forbidden = expect.objectContaining({ code: "forbidden" });
    expect(() => addCustomModel(member, custom())).toThrow(forbidden);
    expect(() => saveModel(member, "gpt-4o", {})).toThrow(forbidden);
    expect(() => removeModel(member, "gpt-4o")).toThrow(forbidden);
    expect(() => listConfiguredModels(member, { filter: "all", search: "" })).toThrow(forbidden);
    expect(() => saveRouting(member, { policy: "fastest" })).toThrow(forbidden);
    expect(() => moveProvider(member, "a", "up")).toThrow(forbidden);
  });
});
