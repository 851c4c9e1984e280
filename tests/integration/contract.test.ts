import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Ask, startServer, type TestServer } from "../support/server";

// The calls of the specification's section 7, with payload and answer, for those that are built. Shapes are written
// down here again, not taken from the application's schemas: a contract that follows its breach is none.

const Id = z.string().min(1);
const Time = z.iso.datetime();
const Nullable = z.string().nullable();

const User = z.object({
  id: Id,
  firstName: Nullable,
  lastName: Nullable,
  email: z.email(),
  role: z.enum(["viewer", "member", "admin", "owner"]),
  profileImageUrl: Nullable,
});

const Model = z.object({
  id: Id,
  name: Id,
  provider: Id,
  recommended: z.boolean(),
  enhanced: z.boolean(),
  maxTokens: z.number().int().positive().nullable(),
  cost: z.object({ input: z.number().min(0).nullable(), output: z.number().min(0).nullable() }),
  capabilities: z.array(
    z.enum(["text", "vision", "function-calling", "analysis", "reasoning", "code", "conversational"]),
  ),
  mcpCapabilities: z.array(z.string()),
});

const RagStatus = z.object({
  store: z.enum(["sqlite", "qdrant", "none"]),
  storeProblem: Nullable,
  embedder: z.object({ kind: z.enum(["lexical", "model"]), label: Id, model: Id }).nullable(),
  notices: z.array(z.string()),
  vectorExtension: z.object({ ok: z.boolean() }),
  indexes: z.array(z.object({ id: Id, state: Id, done: z.number(), total: z.number() })),
});

const Persona = z.object({
  id: Id,
  name: Id,
  systemPrompt: z.string(),
  defaultModel: Id,
  mode: z.enum(["default", "research", "operations", "development"]),
  tools: z.array(z.string()),
  createdAt: Time,
});

const Provider = z.object({
  id: Id,
  provider: z.enum(["openai", "anthropic", "google", "huggingface", "openrouter", "local-ollama", "custom"]),
  displayName: Id,
  enabled: z.boolean(),
  config: z.record(z.string(), z.unknown()),
  createdAt: Time,
});

const ProviderStatus = z.object({
  id: Id,
  name: Id,
  models: z.string().regex(/^[\d,]+ models?$/),
  status: z.enum(["online", "warning", "offline", "unknown"]),
  latency: Id,
  usage: Id,
});

const Key = z.object({ id: Id, provider: Id, alias: Id });

const AuditEntry = z.object({
  id: Id,
  action: z.string().regex(/^[a-z_]+\.[a-z_]+$/),
  resource: Id,
  details: z.record(z.string(), z.unknown()),
  userId: Id,
  orgId: Id,
  createdAt: Time,
});

const UserSettings = z.object({
  ragEnabled: z.boolean(),
  ragVectorMode: z.enum(["off", "qdrant", "qdrant-cloud", "sqlite"]),
  embeddingProvider: z.enum(["auto", "litellm", "openai", "off"]),
  embeddingModel: z.enum(["text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"]),
  preferredModel: Nullable,
});

const Branding = z.object({
  appName: Id,
  primaryColor: z.literal("#3b82f6"),
  secondaryColor: z.literal("#8b5cf6"),
  accentColor: z.literal("#10b981"),
  backgroundColor: z.literal("#09090b"),
  textColor: z.literal("#ffffff"),
  theme: z.literal("dark"),
  fontFamily: z.literal("Inter"),
  borderRadius: z.literal(8),
  glassEffect: z.literal(true),
  backgroundPattern: z.literal("grid"),
});

const Flag = z.boolean();
const Advanced = z.object({
  performance: z.object({
    enableCaching: Flag,
    cacheTimeout: z.literal(300),
    enableCompression: Flag,
    enableMinification: Flag,
    rateLimitEnabled: Flag,
    rateLimit: z.number(),
  }),
  security: z.object({
    enableCSP: Flag,
    enableCORS: z.literal(false),
    sessionTimeout: z.literal(3600),
    enforceHttps: z.literal(false),
    enableAuditLogs: z.literal(true),
  }),
  ai: z.object({
    defaultProvider: z.literal("openai"),
    maxTokens: z.literal(4096),
    temperature: z.literal(0.7),
    enableFallback: z.literal(true),
    retryAttempts: z.literal(3),
    timeout: z.literal(30_000),
  }),
  monitoring: z.object({
    enableMetrics: Flag,
    enableTracing: z.literal(false),
    logLevel: z.literal("info"),
    errorReporting: Flag,
    healthChecks: Flag,
  }),
  notifications: z.object({ enableEmail: Flag, enableSlack: Flag, enableWebhooks: Flag, enablePush: Flag }),
  versions: z.record(z.string(), z.int().min(0)),
});

/** No one answers at this address. */
const NOWHERE = "http://127.0.0.1:9";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: { QUARTERDECK_KEY_TEST: "sk-never-shown-anywhere" } });
});
afterAll(() => server.close());

/** Asks as an admin, expects a status, and parses the answer. */
async function call<T extends z.ZodType>(
  path: string,
  shape: T,
  options: Ask & { status?: number } = {},
): Promise<z.infer<T>> {
  const { status = 200, ...ask } = options;
  const response = await server.ask(path, { as: "admin", ...ask });
  const body = await response.text();
  expect({ path, status: response.status, body: body.slice(0, 500) }).toMatchObject({ status });
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  return shape.parse(JSON.parse(body));
}

async function gone(path: string): Promise<void> {
  const response = await server.ask(path, { as: "admin", method: "DELETE" });
  expect([path, response.status, await response.text()]).toEqual([path, 204, ""]);
}

describe("signing in", () => {
  it("GET /api/login is a navigation that begins the sign-in", async () => {
    const response = await server.ask("/api/login");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toMatch(/^(https?:\/\/[^/]+)?\/login\b/);
  });

  it("GET /api/auth/user", async () => {
    expect(await call("/api/auth/user", User)).toMatchObject({ email: "admin@example.org", role: "admin" });
  });
});

describe("models and preferences", () => {
  it("GET /api/dashboard/providers", async () => {
    const json = { provider: "custom", displayName: "Seen", config: { baseUrl: "http://127.0.0.1:9/v1" } };
    const made = await server.ask("/api/providers", { as: "admin", json });
    const seen = await call("/api/dashboard/providers", z.array(ProviderStatus));
    expect(seen).toMatchObject([{ name: "Seen", models: "0 models", latency: "—", usage: "—" }]);
    await server.ask(made.headers.get("location") ?? "", { as: "admin", method: "DELETE" });
  });

  it("GET /api/dashboard/stats", async () => {
    const figures = ["tokensToday", "spendToday", "workflowsQueued", "ragDocuments", "providersOnline"];
    const shape = z.object(Object.fromEntries(figures.map((name) => [name, z.number().min(0)])));
    expect(await call("/api/dashboard/stats", shape)).toMatchObject({ workflowsQueued: 0 });
  });

  it("GET /api/ai/models", async () => {
    const { models } = await call("/api/ai/models", z.object({ models: z.array(Model).min(1) }));
    expect(models.map(({ id }) => id)).toContain("quarterdeck-offline");
  });

  it("GET and PUT /api/user/settings, which leaves alone what isn't named", async () => {
    expect(await call("/api/user/settings", UserSettings)).toEqual({
      ragEnabled: true,
      ragVectorMode: "qdrant",
      embeddingProvider: "auto",
      embeddingModel: "text-embedding-3-small",
      preferredModel: null,
    });
    const put = (json: unknown) => call("/api/user/settings", UserSettings, { method: "PUT", json });
    expect(await put({ preferredModel: "quarterdeck-offline" })).toMatchObject({
      preferredModel: "quarterdeck-offline",
      ragEnabled: true,
    });
    expect(await put({ ragEnabled: false })).toMatchObject({
      preferredModel: "quarterdeck-offline",
      ragEnabled: false,
    });
    expect(await put({ ragEnabled: true })).toMatchObject({ ragEnabled: true });
    const asMember = await server.ask("/api/user/settings", {
      as: "member",
      method: "PUT",
      json: { ragEnabled: false },
    });
    expect(asMember.status).toBe(403);
  });

  it("GET /api/branding, also signed out, with the specification's defaults", async () => {
    await call("/api/branding", Branding);
    const open = await server.ask("/api/branding");
    expect(open.status).toBe(200);
    Branding.parse(await open.json());
  });

  it("PUT /api/branding, which leaves alone what isn't named", async () => {
    const Saved = Branding.extend({ borderRadius: z.number(), version: z.int() });
    const put = (json: unknown) => server.ask("/api/branding", { as: "admin", method: "PUT", json });
    const saved = Saved.parse(await (await put({ borderRadius: 12 })).json());
    expect(saved.borderRadius).toBe(12);
    const open = Saved.parse(await (await server.ask("/api/branding")).json());
    expect(open).toEqual(saved);
    const wrong = await put({
      borderRadius: 21,
      primaryColor: "red",
      theme: "pink",
      customCss: "a".repeat(50_001),
    });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      errors: {
        borderRadius: ["Choose a number from 0 to 20 px"],
        primaryColor: ["Enter a color as # and six hexadecimal digits, such as #3b82f6"],
        theme: ["Choose one of dark, light, auto"],
        customCss: ["Use at most 50,000 characters"],
      },
    });
    const stale = await put({ borderRadius: 8, version: saved.version - 1 });
    expect(stale.status).toBe(409);
    expect(await stale.json()).toMatchObject({
      errors: { borderRadius: ["Changed to 12 since you opened it"] },
    });
    expect((await put({ borderRadius: 8, version: saved.version })).status).toBe(200);
    await call("/api/branding", Branding);
  });

  it("GET and PUT /api/settings/advanced, which leaves alone what isn't named", async () => {
    const before = await call("/api/settings/advanced", Advanced);
    const put = (json: unknown) => call("/api/settings/advanced", Advanced, { method: "PUT", json });
    const after = await put({ performance: { rateLimit: 200 }, notifications: { enableSlack: true } });
    expect(after).toEqual({
      ...before,
      performance: { ...before.performance, rateLimit: 200 },
      notifications: { ...before.notifications, enableSlack: true },
      versions: { ...before.versions, performance: 1, notifications: 1 },
    });
    expect(await put({})).toEqual(after);
    await put({ performance: { rateLimit: 100 }, notifications: { enableSlack: false } });
  });

  it("PUT /api/settings/advanced refuses by field, in all groups or in none", async () => {
    const put = (as: "admin" | "owner", json: unknown) =>
      server.ask("/api/settings/advanced", { as, method: "PUT", json });
    const before = await call("/api/settings/advanced", Advanced);
    const wrong = await put("admin", {
      performance: { cacheTimeout: 90, rateLimit: 5 },
      ai: { temperature: 0.75, retryAttempts: 6, maxTokens: 300 },
    });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      errors: {
        "performance.cacheTimeout": ["Choose a multiple of 60 seconds"],
        "performance.rateLimit": ["Choose a number from 10 to 1000 requests per minute"],
        "ai.temperature": ["Choose a multiple of 0.1"],
        "ai.retryAttempts": ["Choose a number from 0 to 5"],
        "ai.maxTokens": ["Choose a multiple of 256 tokens"],
      },
    });
    const https = await put("owner", { ai: { retryAttempts: 1 }, security: { enforceHttps: true } });
    expect(https.status).toBe(400);
    expect(await https.json()).toMatchObject({ errors: { "security.enforceHttps": [expect.any(String)] } });
    for (const name of ["enableCSP", "enableAuditLogs"]) {
      const security = { [name]: false };
      expect((await put("admin", { performance: { rateLimit: 500 }, security })).status).toBe(403);
    }
    const stale = await put("admin", {
      ai: { timeout: 5000 },
      versions: { ai: (before.versions.ai ?? 0) + 1 },
    });
    expect(stale.status).toBe(409);
    expect(await call("/api/settings/advanced", Advanced)).toEqual(before);
    expect((await put("owner", { security: { enableCSP: false } })).status).toBe(200);
    expect((await put("admin", { security: { enableCSP: true } })).status).toBe(200);
  });
});

describe("providers and keys", () => {
  const json = {
    provider: "custom",
    displayName: "Team server",
    enabled: true,
    config: { baseUrl: NOWHERE },
  };

  it("GET and POST /api/providers, PATCH /api/providers/{id}", async () => {
    const made = await call("/api/providers", Provider, { json, status: 201 });
    expect(made).toMatchObject({ provider: "custom", displayName: "Team server", enabled: true });
    const changed = await call(`/api/providers/${made.id}`, Provider, {
      method: "PATCH",
      json: { enabled: false },
    });
    expect(changed).toMatchObject({ id: made.id, displayName: "Team server", enabled: false });
    expect(await call("/api/providers", z.array(Provider))).toContainEqual(
      expect.objectContaining({ id: made.id }),
    );
  });

  it("POST /api/providers needs type and display name", async () => {
    const response = await server.ask("/api/providers", { as: "admin", json: { enabled: true } });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Provider type and display name are required");
  });

  it("GET and POST /api/keys, DELETE /api/keys/{id}, never with the value", async () => {
    const made = await call("/api/keys", Key, {
      json: { provider: "custom", alias: "QUARTERDECK_KEY_TEST", origin: "https://models.example.com" },
      status: 201,
    });
    expect(made).toMatchObject({ provider: "custom", alias: "QUARTERDECK_KEY_TEST" });
    const response = await server.ask("/api/keys", { as: "admin" });
    const text = await response.text();
    expect(text).not.toContain("sk-never");
    expect(z.array(Key).parse(JSON.parse(text))).toContainEqual(expect.objectContaining({ id: made.id }));
    await gone(`/api/keys/${made.id}`);
    expect(await call("/api/keys", z.array(Key))).toEqual([]);
  });
});

describe("personas", () => {
  const json = {
    name: "Analyst",
    systemPrompt: "Answer with figures.",
    defaultModel: "gpt-4o",
    mode: "research",
    tools: ["web.fetch"],
  };

  it("GET and POST /api/personas", async () => {
    const response = await server.ask("/api/personas", { as: "member", json });
    expect(response.status).toBe(201);
    const made = Persona.parse(await response.json());
    expect(made).toMatchObject(json);
    expect(response.headers.get("location")).toBe(`/api/personas/${made.id}`);
    expect(await call("/api/personas", z.array(Persona))).toEqual([made]);
  });

  it("POST /api/personas without a name says what the specification says", async () => {
    const response = await server.ask("/api/personas", { as: "member", json: { ...json, name: "  " } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: { name: ["Persona name is required"] } });
  });
});

describe("POST /api/ai/chat", () => {
  it("keeps an answer's first tool call as the contract names it", async () => {
    const content = "kv.set contract exact";
    const sent = await server.ask("/api/ai/chat", {
      as: "member",
      json: {
        model: "quarterdeck-offline",
        tools: ["kv.set"],
        messages: [{ role: "user", content }],
      },
    });
    await sent.text();
    const ToolCall = z.strictObject({ name: Id, parameters: z.unknown(), result: z.unknown() });
    const Message = z.object({
      content: z.string(),
      parts: z.array(z.unknown()),
      toolCall: ToolCall.optional(),
    });
    const { messages } = await call(
      `/api/ai/conversations/${sent.headers.get("x-conversation-id")}`,
      z.object({ messages: z.array(Message) }),
      { as: "member" },
    );
    expect(messages[0]).not.toHaveProperty("toolCall");
    expect(messages[1]?.toolCall).toEqual({
      name: "kv.set",
      parameters: { key: "contract", value: "exact" },
      result: expect.objectContaining({ key: "contract" }),
    });
  });

  const json = {
    messages: [{ role: "user", content: "Hello" }],
    model: "quarterdeck-offline",
    tools: [],
    maxSteps: 5,
  };

  it("streams server-sent events in the UI message stream protocol, with increasing ids", async () => {
    const response = await server.ask("/api/ai/chat", { as: "member", json });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(response.headers.get("x-conversation-id")).toMatch(/\S/);
    expect(response.headers.get("cache-control")).toContain("no-transform");
    const body = await response.text();
    const ids = [...body.matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids.length).toBeGreaterThan(3);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const types = [...body.matchAll(/^data: ?(\{.*\})$/gm)].map(
      ([, data]) => (JSON.parse(data ?? "") as { type: string }).type,
    );
    expect(types).toEqual(
      expect.arrayContaining(["start", "text-start", "text-delta", "text-end", "finish"]),
    );
  });

  it("streams bare text to a client that prefers it", async () => {
    const response = await server.ask("/api/ai/chat", {
      as: "member",
      json,
      headers: { accept: "text/plain" },
    });
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    const body = await response.text();
    expect(body.length).toBeGreaterThan(10);
    expect(body).not.toMatch(/^(data|id|event):/m);
  });

  it("continues with a conversation of its own", async () => {
    const first = await server.ask("/api/ai/chat", { as: "member", json });
    await first.text();
    const conversationId = first.headers.get("x-conversation-id");
    const second = await server.ask("/api/ai/chat", { as: "member", json: { ...json, conversationId } });
    expect(second.headers.get("x-conversation-id")).toBe(conversationId);
    await second.text();
    const other = await server.ask("/api/ai/chat", { as: "admin", json: { ...json, conversationId } });
    expect(other.status).toBe(404);
  });

  it("refuses an unknown model with 400 where only the built-in one answers, naming it", async () => {
    const refusal = { code: "provider_model", detail: expect.stringContaining('"gpt-4o"') };
    const models = ["gpt-4o", "quarterdeck-offline"];
    const compared = { prompt: "Hello", models };
    for (const [path, body] of [
      ["/api/ai/chat", { ...json, model: "gpt-4o" }],
      ["/api/ai/comparisons", compared],
    ] as const) {
      const response = await server.ask(path, { as: "member", json: body });
      expect(response.status, path).toBe(400);
      expect(await response.json(), path).toMatchObject(refusal);
    }
    const begun = await server.ask("/api/ai/chat", { as: "member", json });
    await begun.text();
    const again = await server.ask(`/api/ai/chat/${begun.headers.get("x-conversation-id")}/regenerate`, {
      as: "member",
      json: { model: "gpt-4o" },
    });
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject(refusal);
  });

  it("refuses an unknown model with 400 where there is a provider, naming it", async () => {
    const provider = {
      provider: "custom",
      displayName: "Other",
      enabled: true,
      config: { baseUrl: NOWHERE },
    };
    await call("/api/providers", Provider, { json: provider, status: 201 });
    const response = await server.ask("/api/ai/chat", {
      as: "member",
      json: { ...json, model: "no-such-model" },
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("no-such-model");
  });

  it.each([
    ["an unknown persona", { persona: "nobody" }, "nobody"],
    ["an unknown tool", { tools: ["web.destroy"] }, "web.destroy"],
    ["a system message", { messages: [{ role: "system", content: "obey" }] }, ""],
    ["no message", { messages: [] }, ""],
    ["a blank message", { messages: [{ role: "user", content: " \n " }] }, ""],
    ["too many steps", { maxSteps: 11 }, ""],
    ["no step", { maxSteps: 0 }, ""],
  ])("refuses %s with 400, naming it", async (_, change, named) => {
    const response = await server.ask("/api/ai/chat", { as: "member", json: { ...json, ...change } });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await response.text()).toContain(named);
  });
});

describe("GET /api/audit", () => {
  it("tells of the changes above, newest first, a page at a time", async () => {
    const entries = await call("/api/audit?limit=100", z.array(AuditEntry));
    const actions = entries.map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(["provider.created", "provider.updated", "persona.created"]),
    );
    expect(actions).toEqual(expect.arrayContaining(["api_key.created"]));
    const times = entries.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    const first = await server.ask("/api/audit?limit=2", { as: "admin" });
    expect(((await first.json()) as unknown[]).length).toBe(2);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await call(next, z.array(AuditEntry));
    expect(second[0]?.id).toBe(entries[2]?.id);
  });
});

describe("documents", () => {
  it("GET /api/rag/status, which says what serves and why nothing else", async () => {
    const status = await call("/api/rag/status", RagStatus);
    expect(status).toMatchObject({
      store: "sqlite",
      embedder: { kind: "lexical" },
      vectorExtension: { ok: true },
    });
    expect(status.storeProblem).toContain("QDRANT_URL");
    const rebuild = await server.ask("/api/rag/rebuild", { as: "admin", method: "POST" });
    expect([200, 409]).toContain(rebuild.status);
  });

  it("GET /api/rag/documents and its numbers, of nothing", async () => {
    expect(await call("/api/rag/documents", z.array(z.unknown()))).toEqual([]);
    expect(await call("/api/rag/stats", z.record(z.string(), z.number()))).toEqual({
      total: 0,
      ready: 0,
      processing: 0,
      failed: 0,
      retryable: 0,
      chunks: 0,
    });
  });

  it("POST /api/rag/search", async () => {
    const json = { query: "returns", topK: 5, collection: "documents" };
    expect(
      await call("/api/rag/search", z.looseObject({ results: z.array(z.unknown()) }), { json }),
    ).toMatchObject({
      results: [],
    });
    const response = await server.ask("/api/rag/search", { as: "viewer", json: { query: " " } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: { query: ["Please enter a search query"] } });
  });

  it("POST /api/rag/reorder names the category and refuses what isn't in it", async () => {
    const json = { category: "Finance", order: ["doc_none"] };
    const response = await server.ask("/api/rag/reorder", { as: "member", json });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: { order: [expect.stringContaining("Finance has changed since you opened it")] },
    });
  });

  it("GET and POST /api/rag/categories, PATCH and DELETE /api/rag/categories/{id}", async () => {
    const Category = z.object({ id: Id, name: Id, fixed: z.boolean(), documents: z.number().int() });
    // Asked for the first time, and by many at once.
    const lists = await Promise.all(
      Array.from({ length: 8 }, () => call("/api/rag/categories", z.array(Category))),
    );
    const names = "Uncategorized Inventory Products Customers Vendors Service Finance Management".split(" ");
    for (const list of lists) expect(list.map(({ name }) => name)).toEqual(names);
    const json = { name: "Recipes" };
    const made = await call("/api/rag/categories", Category, { as: "member", json, status: 201 });
    expect(made).toMatchObject({ name: "Recipes", fixed: false, documents: 0 });
    const path = `/api/rag/categories/${made.id}`;
    const again = await server.ask("/api/rag/categories", { as: "member", json: { name: "RECIPES" } });
    expect(again.status).toBe(409);
    const renamed = await call(path, Category, { method: "PATCH", json: { name: "Food" } });
    expect(renamed).toMatchObject({ id: made.id, name: "Food" });
    await gone(path);
    expect((await call("/api/rag/categories", z.array(Category))).map(({ name }) => name)).toEqual(names);
  });

  it("PATCH /api/rag/documents/{id} and POST /api/rag/reorder", async () => {
    const Doc = z.object({
      id: Id,
      name: Id,
      content: z.string(),
      status: z.enum(["ready", "processing", "failed"]),
      createdAt: Time,
      metadata: z.object({
        category: Id,
        orderIndex: z.number().int(),
        type: z.enum(["text", "url", "file"]),
        source: z.string(),
      }),
    });
    const add = async (title: string): Promise<string> => {
      const json = { text: `What ${title} says.`, title };
      const response = await server.ask("/api/rag/ingest", { as: "member", json });
      return ((await response.json()) as { id: string }).id;
    };
    const ids = [await add("First"), await add("Second"), await add("Third")];
    for (const id of ids) {
      const json = { category: "Vendors" };
      const changed = await call(`/api/rag/documents/${id}`, Doc, { as: "member", method: "PATCH", json });
      expect(changed.metadata.category).toBe("Vendors");
    }
    const names = async () =>
      (await call("/api/rag/documents?category=Vendors", z.array(Doc))).map(({ name }) => name);
    expect(await names()).toEqual(["First", "Second", "Third"]);
    const order = { category: "Vendors", order: [ids[2], ids[0]] };
    const reordered = await call("/api/rag/reorder", z.array(Doc), { as: "member", json: order });
    expect(reordered.map(({ name }) => name)).toEqual(["Third", "First", "Second"]);
    expect(await names()).toEqual(["Third", "First", "Second"]);
    const first = await server.ask("/api/rag/documents?category=Vendors&limit=2", { as: "viewer" });
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect((await call(next, z.array(Doc))).map(({ name }) => name)).toEqual(["Second"]);

    const path = `/api/rag/documents/${ids[0]}`;
    const original = await server.ask(`${path}/original`, { as: "viewer" });
    expect(original.headers.get("content-disposition")).toMatch(/^attachment; filename=First\.txt$/);
    expect(original.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await original.text()).toBe("What First says.");
    await gone(path);
    expect((await server.ask(path, { as: "admin" })).status).toBe(404);
    expect(await call(`${path}/restore`, Doc, { as: "member", method: "POST" })).toMatchObject({
      name: "First",
    });
  });
});
