import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../support/mock-server";
import { type Ask, startServer, type TestServer } from "../support/server";

// The calls around models that are this console's own, asked over HTTP with hubs and an Ollama of the test's own.

const json = (value: unknown) => JSON.stringify(value);
const ANSWERS: Record<string, string> = {
  "/api/version": json({ version: "0.12.6" }),
  "/api/tags": json({ models: [{ name: "llama3.2:3b" }] }),
  "/api/v1/models": json({
    data: [
      { id: "maker/open-one", name: "Open one", context_length: 32_000, supported_parameters: ["tools"] },
    ],
  }),
};

let upstream: MockServer;
let server: TestServer;
beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    const answer = ANSWERS[request.url ?? ""];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(answer ?? "{}");
  });
  server = await startServer({
    env: {
      OLLAMA_URL: upstream.origin,
      HUGGINGFACE_HUB_URL: upstream.origin,
      OPENROUTER_HUB_URL: upstream.origin,
    },
  });
});
afterAll(async () => {
  await server.close();
  await upstream.close();
});

async function call(path: string, options: Ask & { status?: number } = {}): Promise<unknown> {
  const { status = 200, ...ask } = options;
  const response = await server.ask(path, { as: "admin", ...ask });
  const body = await response.text();
  expect({ path, status: response.status, body: body.slice(0, 500) }).toMatchObject({ status });
  return body ? JSON.parse(body) : undefined;
}

describe("models over the API", () => {
  it("offers the Ollama that was found at the start, and uses it once it is set up", async () => {
    await expect.poll(() => call("/api/offered-providers")).toMatchObject([{ models: ["llama3.2:3b"] }]);
    const [offer] = (await call("/api/offered-providers")) as { baseUrl: string; displayName: string }[];
    await call("/api/providers", {
      json: {
        provider: "local-ollama",
        displayName: offer?.displayName,
        config: { baseUrl: offer?.baseUrl },
      },
      status: 201,
    });
    expect(await call("/api/offered-providers")).toEqual([]);
    expect(await call("/api/ai/models", { as: "viewer" })).toMatchObject({
      models: [{ id: "llama3.2:3b", provider: "local-ollama", providers: 1 }, { id: "quarterdeck-offline" }],
    });
  });

  it("lists the catalogue for everyone, with search and filters", async () => {
    const { models } = (await call("/api/ai/catalogue?search=gpt-5-mini", { as: "viewer" })) as {
      models: object[];
    };
    expect(models).toMatchObject([{ id: "gpt-5-mini", callable: false, pricesAt: "2026-09-23" }]);
    expect(await call("/api/ai/catalogue?filter=callable")).toMatchObject({
      models: [{ id: "llama3.2:3b" }],
    });
  });

  it("discovers, adds, changes and takes back models", async () => {
    expect(await call("/api/models/discover", { json: {} })).toMatchObject({
      hubs: [
        { hub: "huggingface", failed: true, message: expect.stringContaining("Using fallback models.") },
        { hub: "openrouter", failed: false, count: 1 },
      ],
    });
    const added = await server.ask("/api/models/managed", { as: "admin", json: { id: "maker/open-one" } });
    expect(added.status).toBe(201);
    expect(added.headers.get("location")).toBe("/api/models?id=maker%2Fopen-one");
    const here = added.headers.get("location") ?? "";
    expect(await call(here)).toMatchObject({ id: "maker/open-one", source: "openrouter" });
    expect(await call("/api/models/managed?filter=openrouter&search=open")).toMatchObject({
      models: [{ id: "maker/open-one", added: true, callable: false, maxTokens: 32_000, enhanced: true }],
    });
    const patch = { hidden: true, cost: { input: 0.5, output: 1 }, routing: { policy: "cheapest" } };
    expect(await call(here, { method: "PATCH", json: patch })).toMatchObject({
      ...patch,
      routing: { policy: "cheapest", fallbacks: [], targets: [] },
    });
    await call(here, { method: "DELETE", status: 204 });
    expect(await call("/api/models/managed?filter=openrouter")).toMatchObject({
      models: [{ added: false, hidden: false }],
    });
    const custom = { id: "team/own", name: "Own", provider: "local-ollama" };
    expect(await call("/api/models", { json: custom, status: 201 })).toMatchObject({
      source: "custom",
      maxTokens: 4096,
      cost: { input: 0, output: 0 },
    });
    expect(await call("/api/models", { json: custom, status: 409 })).toMatchObject({
      errors: { id: ["This model already exists. Enter another ID"] },
    });
    expect(await call("/api/models", { json: { id: "x" }, status: 400 })).toMatchObject({
      errors: { name: ["Enter the model's name"] },
    });
    expect(await call("/api/ai/models")).toMatchObject({ models: [{ id: "team/own" }, {}, {}] });
  });

  it("keeps the organisation's routing policy and the order of its providers", async () => {
    expect(await call("/api/settings/routing")).toEqual({
      policy: "priority",
      defaultModel: "",
      imageModel: "",
    });
    await call("/api/settings/routing", { method: "PUT", json: { policy: "fastest" } });
    expect(await call("/api/settings/routing")).toEqual({
      policy: "fastest",
      defaultModel: "",
      imageModel: "",
    });
    await call("/api/settings/routing", { method: "PUT", json: { policy: "random" }, status: 400 });
    const config = { baseUrl: "http://127.0.0.1:9" };
    const second = (await call("/api/providers", {
      json: { provider: "custom", displayName: "Second", config },
      status: 201,
    })) as { id: string };
    const move = (direction: string) => call(`/api/providers/${second.id}/move`, { json: { direction } });
    expect(await move("up")).toMatchObject([{ id: second.id, priority: 0 }, { priority: 1 }]);
    expect(await call("/api/providers")).toMatchObject([{ displayName: "Second" }, {}]);
  });
});
