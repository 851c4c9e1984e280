import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listCatalogue } from "~/ai/models/catalogue.service.server";
import type { ChatModelPart } from "~/ai/models/language-model";
import { listModels, newRouteRecord, resolveModel, routeCall } from "~/ai/models/models.service.server";
import { createProvider, testProvider } from "~/ai/models/providers.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import type { KeyProvider } from "~/team/keys/keys.shared";
import { openTestDatabase } from "../support/database";
import { type MockServer, startMockServer } from "../support/mock-server";

const KEY = "value-of-the-key-never-shown";

interface Listing {
  provider: string;
  /** Below the server's origin. */
  path: string;
  keyKind: KeyProvider;
  /** The server's responses, by method and address. */
  answers: Record<string, unknown>;
  /** The models in the pickers, without the built-in one. */
  chat: object[];
  embedding?: { id: string; requestedModel: string; at: string };
  rerankers?: string[];
  /** The header that carries the key. */
  header: [name: string, value: string];
}

const usage = { prompt_tokens: 3, total_tokens: 3 };
const vectors = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }], usage };

const LISTINGS: Listing[] = [
  {
    provider: "openai",
    path: "/v1",
    keyKind: "openai",
    answers: {
      "GET /v1/models": {
        object: "list",
        data: ["whisper-1", "text-embedding-3-small", "gpt-5-mini", "gpt-image-1"].map((id) => ({ id })),
      },
      "POST /v1/embeddings": vectors,
    },
    chat: [{ id: "gpt-5-mini", maxTokens: 400_000, cost: { input: 0.00025, output: 0.002 }, enhanced: true }],
    embedding: {
      id: "text-embedding-3-small",
      requestedModel: "text-embedding-3-small",
      at: "/v1/embeddings",
    },
    header: ["authorization", `Bearer ${KEY}`],
  },
  {
    provider: "anthropic",
    path: "/v1",
    keyKind: "anthropic",
    answers: {
      "GET /v1/models?limit=1": { data: [] },
      "GET /v1/models?limit=1000": {
        data: [{ type: "model", id: "claude-sonnet-4-5", display_name: "Claude Sonnet 4.5" }],
        has_more: false,
      },
    },
    chat: [
      {
        id: "claude-sonnet-4-5",
        name: "Claude Sonnet 4.5",
        recommended: true,
        maxTokens: 200_000,
        cost: { input: 0.003, output: 0.015 },
      },
    ],
    header: ["x-api-key", KEY],
  },
  {
    provider: "google",
    path: "/v1beta",
    keyKind: "gemini",
    answers: {
      "GET /v1beta/models?pageSize=1": { models: [] },
      "GET /v1beta/models?pageSize=1000": {
        models: [
          {
            name: "models/gemini-2.5-flash",
            displayName: "Gemini 2.5 Flash",
            inputTokenLimit: 1_048_576,
            supportedGenerationMethods: ["generateContent", "countTokens"],
          },
          {
            name: "models/gemini-embedding-001",
            inputTokenLimit: 2048,
            supportedGenerationMethods: ["embedContent"],
          },
          { name: "models/imagen-4", supportedGenerationMethods: ["predict"] },
        ],
      },
      "POST /v1beta/openai/embeddings": vectors,
    },
    chat: [{ id: "gemini-2.5-flash", name: "Gemini 2.5 Flash", maxTokens: 1_048_576, recommended: true }],
    embedding: {
      id: "gemini-embedding-001",
      requestedModel: "gemini-embedding-001",
      at: "/v1beta/openai/embeddings",
    },
    header: ["x-goog-api-key", KEY],
  },
  {
    provider: "huggingface",
    path: "/v1",
    keyKind: "huggingface",
    answers: {
      "GET /v1/models": {
        object: "list",
        data: [
          {
            id: "Qwen/Qwen3-VL-8B",
            architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
            providers: [
              {
                provider: "one",
                status: "live",
                context_length: 131_072,
                pricing: { input: 0.2, output: 0.6 },
                supports_tools: true,
              },
              {
                provider: "two",
                status: "live",
                context_length: 32_768,
                pricing: { input: 0.3, output: 0.5 },
              },
              { provider: "gone", status: "error", context_length: 512, pricing: { input: 9, output: 9 } },
            ],
          },
          { id: "org/plain" },
        ],
      },
    },
    // The router picks a provider by itself: the list has what every provider supports.
    chat: [
      {
        id: "Qwen/Qwen3-VL-8B",
        maxTokens: 32_768,
        cost: { input: 0.0003, output: 0.0006 },
        capabilities: expect.arrayContaining(["vision", "function-calling"]),
      },
      { id: "org/plain", maxTokens: 4096, cost: { input: null, output: null }, enhanced: false },
    ],
    header: ["authorization", `Bearer ${KEY}`],
  },
  {
    provider: "openrouter",
    path: "/api/v1",
    keyKind: "openrouter",
    answers: {
      "GET /api/v1/key": { data: { label: "sk-or-v1-abc...", usage: 1, limit: null } },
      "GET /api/v1/models": {
        data: [
          {
            id: "openai/gpt-4o",
            name: "OpenAI: GPT-4o",
            description: "Sees and speaks.",
            context_length: 128_000,
            architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
            pricing: { prompt: "0.0000025", completion: "0.00001" },
            supported_parameters: ["tools", "temperature"],
          },
          {
            id: "openrouter/auto",
            name: "Auto Router",
            context_length: 2_000_000,
            pricing: { prompt: "-1", completion: "-1" },
          },
          {
            id: "maker/painter",
            name: "Draws",
            architecture: { input_modalities: ["text"], output_modalities: ["image"] },
            pricing: { prompt: "0", completion: "0" },
          },
        ],
      },
      "GET /api/v1/embeddings/models": {
        data: [
          {
            id: "openai/text-embedding-3-small",
            name: "Embedding 3 small",
            context_length: 8192,
            pricing: { prompt: "0.00000002", completion: "0" },
          },
        ],
      },
      "GET /api/v1/models?output_modalities=rerank": {
        data: [
          {
            id: "cohere/rerank-v3.5",
            context_length: 4096,
            architecture: { output_modalities: ["rerank"] },
            pricing: { prompt: "0", completion: "0" },
          },
          // Of a proxy that leaves the query out.
          { id: "maker/painter", architecture: { output_modalities: ["image"] } },
        ],
      },
      "POST /api/v1/embeddings": vectors,
    },
    rerankers: ["cohere/rerank-v3.5"],
    chat: [
      {
        id: "gpt-4o",
        name: "OpenAI: GPT-4o",
        maxTokens: 128_000,
        cost: { input: 0.0025, output: 0.01 },
        capabilities: ["text", "vision", "function-calling", "conversational"],
        description: "Sees and speaks.",
      },
      { id: "openrouter/auto", cost: { input: null, output: null } },
    ],
    embedding: {
      id: "text-embedding-3-small",
      requestedModel: "openai/text-embedding-3-small",
      at: "/api/v1/embeddings",
    },
    header: ["authorization", `Bearer ${KEY}`],
  },
  {
    provider: "local-ollama",
    // As people enter it.
    path: "/v1",
    keyKind: "custom",
    answers: {
      "GET /api/version": { version: "0.12.6" },
      "GET /api/tags": { models: [{ name: "qwen3:8b" }, { name: "nomic-embed-text:latest" }] },
      "POST /api/show qwen3:8b": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        parameters: "num_ctx 40960",
      },
      "POST /api/show nomic-embed-text:latest": {
        capabilities: ["embedding"],
        model_info: { "nomic-bert.context_length": 2048 },
      },
      "POST /v1/embeddings": vectors,
    },
    chat: [
      {
        id: "qwen3:8b",
        maxTokens: 40_960,
        cost: { input: 0, output: 0 },
        capabilities: ["text", "conversational", "function-calling", "reasoning"],
        enhanced: true,
      },
    ],
    embedding: {
      id: "nomic-embed-text:latest",
      requestedModel: "nomic-embed-text:latest",
      at: "/v1/embeddings",
    },
    header: ["authorization", `Bearer ${KEY}`],
  },
  {
    provider: "custom",
    path: "/v1",
    keyKind: "custom",
    answers: {
      "GET /v1/models": {
        object: "list",
        data: [
          { id: "our-llm", max_model_len: 16_384 },
          { id: "BAAI/bge-m3" },
          { id: "vectors", type: "embedding" },
          { id: "BAAI/bge-reranker-v2" },
          { id: "scores", model_type: "rerank" },
        ],
      },
      "POST /v1/embeddings": vectors,
    },
    chat: [{ id: "our-llm", maxTokens: 16_384, cost: { input: null, output: null } }],
    rerankers: ["BAAI/bge-reranker-v2", "scores"],
    embedding: { id: "BAAI/bge-m3", requestedModel: "BAAI/bge-m3", at: "/v1/embeddings" },
    header: ["authorization", `Bearer ${KEY}`],
  },
];

describe.each(LISTINGS)("$provider", ({ rerankers = [], ...listing }) => {
  const { provider, path, keyKind, answers, chat, embedding, header } = listing;
  let test: ReturnType<typeof openTestDatabase>;
  let server: MockServer;
  let refuse: boolean;
  let providerId: string;

  beforeEach(async () => {
    refuse = false;
    vi.stubEnv("QUARTERDECK_KEY_MOCK", KEY);
    test = openTestDatabase();
    server = await startMockServer((request, response) => {
      const model = request.url === "/api/show" ? ` ${JSON.parse(request.text).model}` : "";
      const answer = answers[`${request.method} ${request.url}${model}`];
      const status = refuse ? 401 : answer ? 200 : 404;
      const error = { error: { message: "Incorrect API key provided", type: "authentication_error" } };
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(refuse ? error : (answer ?? { error: { message: "no such path" } })));
    });
    const { id: keyId } = addKey(test.actors.admin, {
      provider: keyKind,
      alias: "QUARTERDECK_KEY_MOCK",
      origin: server.origin,
    });
    const { id } = await createProvider(test.actors.admin, {
      provider,
      displayName: "Server",
      enabled: true,
      config: { baseUrl: server.origin + path, keyId },
    });
    providerId = id;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
    test.close();
  });

  it("tells what it lists: the models that talk, each with its facts", () => {
    const offered = listModels(test.actors.member).filter((model) => model.providerId !== null);
    expect(offered).toMatchObject(chat.map((model) => ({ provider, providers: 1, ...model })));
    expect(server.requests.every(({ headers }) => headers[header[0]] === header[1])).toBe(true);
  });

  it("answers the test, and says so when it refuses the key", async () => {
    expect(await testProvider(test.actors.admin, providerId)).toMatchObject({ ok: true });
    refuse = true;
    const refused = await testProvider(test.actors.admin, providerId);
    expect(refused).toMatchObject({ ok: false, message: expect.stringMatching(/^Server rejected the key/) });
  });

  it("lists rerankers as a kind of their own, without a price that it doesn't list", () => {
    const listed = listCatalogue(test.actors.member, { search: "", filter: "rerank" });
    const own = listed.filter(({ callable }) => callable);
    expect(own.map(({ id }) => id)).toEqual(rerankers);
    expect(own.every(({ cost, capabilities }) => cost.input === null && capabilities.length === 0)).toBe(
      true,
    );
  });

  it.skipIf(!embedding)("keeps embedding models apart and embeds with them", async () => {
    if (!embedding) return;
    const all = listCatalogue(test.actors.member, { search: "", filter: "embedding" });
    expect(all).toContainEqual(expect.objectContaining({ id: embedding.id, callable: true }));
    const body = JSON.stringify({ model: embedding.requestedModel, input: "hello" });
    const request = { actor: test.actors.member, model: embedding.id, kind: "embedding" as const };
    const { value, target, end } = await routeCall(request, newRouteRecord(), async (found) => {
      const response = await found.send(found.wire["openai-embeddings"] ?? "", { body });
      return response.json();
    });
    end({ outcome: "ok" });
    expect(value).toEqual(vectors);
    expect(target.modelId).toBe(embedding.requestedModel);
    const sent = server.requests.at(-1);
    expect(sent).toMatchObject({ url: embedding.at, body });
    expect(Object.values(sent?.headers ?? {}).filter((value) => String(value).includes(KEY))).toHaveLength(1);
  });
});

describe.each([
  ["openrouter", "/api/v1", { reasoning: "Let me think." }],
  ["local-ollama", "", { reasoning: "Let me think." }],
  ["huggingface", "/v1", { reasoning_content: "Let me think." }],
  ["custom", "/v1", { reasoning_content: "Let me think." }],
] as const)("%s", (provider, path, thought) => {
  it("keeps what is thought apart from what is said, and reads the usage", async () => {
    vi.stubEnv("QUARTERDECK_KEY_MOCK", KEY);
    const test = openTestDatabase();
    const frames = [
      { choices: [{ index: 0, delta: { role: "assistant", ...thought } }] },
      { choices: [{ index: 0, delta: { content: "Yes." } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
    ].map(
      (frame) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...frame })}\n\n`,
    );
    const server = await startMockServer((_, response) => {
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`${frames.join("")}data: [DONE]\n\n`);
    });
    const { id: keyId } = addKey(test.actors.admin, {
      provider: provider === "local-ollama" ? "custom" : provider,
      alias: "QUARTERDECK_KEY_MOCK",
      origin: server.origin,
    });
    await createProvider(test.actors.admin, {
      provider,
      displayName: "Server",
      enabled: true,
      config: { baseUrl: server.origin + path, keyId, models: ["m"] },
    });
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Well?" }] }];
    const { stream } = await resolveModel(test.actors.member, "m").open({ prompt }, newRouteRecord());
    const parts: ChatModelPart[] = [];
    for (let part = await stream.read(); part; part = await stream.read()) parts.push(part);
    expect(parts).toContainEqual(
      expect.objectContaining({ type: "reasoning-delta", delta: "Let me think." }),
    );
    expect(parts).toContainEqual(expect.objectContaining({ type: "text-delta", delta: "Yes." }));
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      usage: { inputTokens: { total: 7 }, outputTokens: { total: 5 } },
    });
    // A list that is asked for beside the others may come after it.
    const asked = server.requests.findLast(({ method }) => method === "POST");
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    await server.close();
    test.close();
    vi.unstubAllEnvs();
  });
});
