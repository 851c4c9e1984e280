import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { countConfiguredModels, listConfiguredModels } from "./catalogue.service.server";
import { discoverModels, refreshDiscovered } from "./discovery.service.server";
import { createProvider, readProvider } from "./providers.service.server";

interface Answer {
  status: number;
  body: string;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("discovering models", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let hub: MockServer;
  let huggingface: Answer;
  let openrouter: Answer;

  beforeEach(async () => {
    const downloads = numbers(50).map((n) => ({
      id: `org/model-${n}`,
      downloads: 1000 - n,
      pipeline_tag: "x",
    }));
    huggingface = { status: 200, body: JSON.stringify(downloads) };
    const data = numbers(30).map((n) => ({
      id: n === 0 ? "openai/gpt-4o" : `maker/model-${n}`,
      name: `Model ${n}`,
      description: "About it.",
      context_length: 64_000,
      pricing: { prompt: "0.0000025", completion: "0.00001" },
      supported_parameters: ["tools"],
    }));
    openrouter = { status: 200, body: JSON.stringify({ data }) };
    hub = await startMockServer((request, response) => {
      const answer = request.url?.startsWith("/api/models") ? huggingface : openrouter;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
    test = openTestDatabase({ HUGGINGFACE_HUB_URL: `${hub.origin}/`, OPENROUTER_HUB_URL: hub.origin });
  });
  afterEach(async () => {
    await hub.close();
    test.close();
  });

  const managed = (filter: "all" | "huggingface" | "openrouter" = "all") =>
    listConfiguredModels(test.actors.admin, { filter, search: "" });

  it("asks both hubs for text generation and keeps the first 20 of each with what they tell", async () => {
    const { hubs } = await discoverModels(test.actors.admin);
    expect(hubs).toEqual([
      { hub: "huggingface", count: 20, failed: false, fetchedAt: expect.any(String) },
      { hub: "openrouter", count: 20, failed: false, fetchedAt: expect.any(String) },
    ]);
    const requested = hub.requests.map(({ url }) => new URL(url, hub.origin));
    const list = requested.find(({ pathname }) => pathname === "/api/models");
    expect(list?.searchParams.get("pipeline_tag")).toBe("text-generation");
    expect(list?.searchParams.get("limit")).toBe("50");
    expect(countConfiguredModels(test.actors.admin)).toBe(managed().length);
    expect(managed("huggingface")).toHaveLength(20);
    expect(managed("huggingface")[0]).toMatchObject({
      id: "org/model-0",
      name: "model-0",
      provider: "huggingface",
      downloads: 1000,
      maxTokens: 4096,
      cost: { input: null, output: null },
      added: false,
    });
    expect(managed("openrouter")[0]).toMatchObject({
      id: "openai/gpt-4o",
      name: "Model 0",
      description: "About it.",
      maxTokens: 64_000,
      cost: { input: 0.0025, output: 0.01 },
      enhanced: true,
      downloads: null,
    });
    expect(listAudit(test.actors.admin, { limit: 5 }).entries).toMatchObject([
      { action: "models.discovered", details: { huggingface: 20, openrouter: 20 } },
    ]);
  });

  it("fetches each time while caching is off", async () => {
    updateSettings(test.actors.admin, "performance", { enableCaching: false });
    await discoverModels(test.actors.admin);
    await discoverModels(test.actors.admin);
    expect(hub.requests).toHaveLength(4);
  });

  it("asks providers for their own lists as often as the cache timeout says", async () => {
    let at = Date.now();
    setClock(() => at);
    const { admin } = test.actors;
    const { id } = await createProvider(admin, {
      provider: "custom",
      displayName: "Lab",
      enabled: true,
      config: { baseUrl: `${hub.origin}/own` },
    });
    const listRequests = () => hub.requests.filter(({ url }) => url?.startsWith("/own")).length;
    const first = listRequests();
    openrouter = { status: 200, body: JSON.stringify({ data: [{ id: "maker/new" }] }) };
    await discoverModels(admin);
    expect(listRequests()).toBe(first);
    at += 301_000;
    await discoverModels(admin);
    expect(listRequests()).toBeGreaterThan(first);
    expect(readProvider(admin, id).models).toEqual(["maker/new"]);
    const before = listRequests();
    updateSettings(admin, "performance", { enableCaching: false });
    await discoverModels(admin);
    expect(listRequests()).toBeGreaterThan(before);
  });

  it("keeps the lists for the cache timeout unless it is to ask again", async () => {
    await discoverModels(test.actors.admin);
    const { hubs } = await discoverModels(test.actors.admin);
    expect(hubs).toMatchObject([{ count: 20 }, { count: 20 }]);
    expect(hub.requests).toHaveLength(2);
    await discoverModels(test.actors.admin, { refresh: true });
    expect(hub.requests).toHaveLength(4);
  });

  it.each<[string, Answer]>([
    ["is down", { status: 503, body: "down" }],
    ["answers a page", { status: 200, body: "<html>" }],
    ["answers something else", { status: 200, body: '{"error":"sorry"}' }],
    ["lists nothing", { status: 200, body: "[]" }],
    [
      "answers far too much",
      { status: 200, body: JSON.stringify([{ id: "a/b", tags: Array(250_000).fill(0) }]) },
    ],
    ["answers half", { status: 200, body: '[{"id":"org/model' }],
  ])("uses built-in models for a hub that %s, says so, and asks it again next time", async (_, answer) => {
    const before = huggingface;
    huggingface = answer;
    const { hubs } = await discoverModels(test.actors.admin);
    expect(hubs[0]).toMatchObject({
      hub: "huggingface",
      failed: true,
      message: "Failed to fetch models from Hugging Face. Using fallback models.",
    });
    expect(hubs[1]).toMatchObject({ failed: false, count: 20 });
    const fallback = managed("huggingface");
    expect(fallback.length).toBeGreaterThan(3);
    expect(fallback.every((model) => model.fallback && model.downloads === null)).toBe(true);
    huggingface = before;
    expect((await discoverModels(test.actors.admin)).hubs[0]).toMatchObject({ failed: false, count: 20 });
    expect(managed("huggingface").some((model) => model.fallback)).toBe(false);
    expect(hub.requests).toHaveLength(3);
  });

  it("keeps the list that a hub gave before it was down, and says of when it is", async () => {
    setClock(() => Date.parse("2026-11-24T09:05:00Z"));
    await discoverModels(test.actors.admin);
    const before = managed("huggingface");
    huggingface = { status: 503, body: "down" };
    const { hubs } = await discoverModels(test.actors.admin, { refresh: true });
    expect(hubs[0]).toMatchObject({ hub: "huggingface", count: 20, failed: true });
    expect(hubs[0]?.message).toMatch(
      /^Failed to fetch models from Hugging Face\. Keeping the list of Nov 2\d, 2026, .+\.$/,
    );
    expect(managed("huggingface")).toEqual(before);
  });

  it("refreshes old lists and keeps those of unreachable hubs", async () => {
    let at = Date.now();
    setClock(() => at);
    await refreshDiscovered();
    expect(hub.requests).toHaveLength(0);
    await discoverModels(test.actors.admin);
    const requests = hub.requests.length;
    await refreshDiscovered();
    expect(hub.requests).toHaveLength(requests);
    at += 25 * 60 * 60_000;
    huggingface = { status: 503, body: "" };
    openrouter = { status: 200, body: JSON.stringify({ data: [{ id: "maker/new", name: "New" }] }) };
    await refreshDiscovered();
    expect(managed("openrouter").map(({ id }) => id)).toContain("maker/new");
    expect(managed("huggingface").some(({ id }) => id === "org/model-0")).toBe(true);
    setClock();
  });

  it("takes an admin", async () => {
    await expect(discoverModels(test.actors.member)).rejects.toMatchObject({ code: "forbidden" });
    expect(hub.requests).toEqual([]);
  });

  it("fails if the egress policy blocks all hubs", async () => {
    test.close();
    // Never allowed, even if configured.
    const never = "http://169.254.169.254";
    test = openTestDatabase({ HUGGINGFACE_HUB_URL: never, OPENROUTER_HUB_URL: never });
    await expect(discoverModels(test.actors.admin)).rejects.toMatchObject({
      code: "unavailable",
      message: "Failed to discover models from external providers",
    });
    expect(managed()).toEqual([]);
  });
});
