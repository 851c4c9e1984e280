import { afterAll, beforeAll, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startServer, type TestServer } from "../support/server";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

const CALLER = "00f067aa0ba902b7";
let server: TestServer;
/** A model, a host that steps call, and a collector. */
let upstream: MockServer;
/** Holds the first answer of the host back. */
let release: () => void = () => undefined;

beforeAll(async () => {
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  upstream = await startMockServer(async ({ url = "" }, response) => {
    const json = { "content-type": "application/json" };
    if (url === "/slow") await held;
    const answer = {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "alpha-2026",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
    };
    const vectors = { object: "list", model: "text-embedding-alpha", data: [{ index: 0, embedding: [1] }] };
    const answers: Record<string, object> = { "/v1/chat/completions": answer, "/v1/embeddings": vectors };
    response.writeHead(200, json).end(JSON.stringify(answers[url] ?? {}));
  });
  server = await startServer({
    env: {
      EGRESS_ALLOW: "127.0.0.1",
      OTEL_EXPORTER_OTLP_ENDPOINT: `${upstream.origin}/collector`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
    },
  });
  const config = { baseUrl: `${upstream.origin}/v1`, models: ["alpha", "text-embedding-alpha"] };
  const provider = { provider: "custom", displayName: "Own", enabled: true, config };
  expect((await server.ask("/api/providers", { as: "owner", json: provider })).status).toBe(201);
  const json = { monitoring: { enableTracing: true } };
  const saved = await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  expect(saved.status).toBe(200);
});
afterAll(async () => {
  release();
  await server.close();
  await upstream.close();
});

const headersOf = (trace: string, flags = "01") => ({
  traceparent: `00-${trace}-${CALLER}-${flags}`,
  tracestate: "vendor=abc",
});

/** The last call of an address. */
const called = (path: string) => upstream.requests.findLast(({ url }) => url.startsWith(path));

async function spansOf(trace: string, ...names: string[]): Promise<(Span | undefined)[]> {
  const all = () =>
    upstream.requests
      .filter(({ url }) => url === "/collector/v1/traces")
      .flatMap(({ body }) => {
        const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
        return sent.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
      })
      .filter(({ traceId }) => traceId === trace);
  const find = (name: string) => all().find((span) => span.name === name);
  await expect.poll(() => names.map((name) => find(name)?.name)).toEqual(names);
  return names.map(find);
}

it("continues a caller's trace from the gateway to the provider", async () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const token = await server.createToken("owner", ["gateway.use"]);
  const response = await server.ask("/v1/chat/completions", {
    token,
    headers: headersOf(trace),
    json: { model: "alpha", messages: [{ role: "user", content: "Hi" }], max_tokens: 9, temperature: 1 },
  });
  expect(response.status).toBe(200);
  const [request, call] = await spansOf(trace, "POST /v1/chat/completions", "chat alpha");
  expect([request?.parentSpanId, call?.parentSpanId]).toEqual([CALLER, request?.spanId]);
  const sent = called("/v1/chat")?.headers;
  expect([sent?.traceparent, sent?.tracestate]).toEqual([`00-${trace}-${call?.spanId}-01`, "vendor=abc"]);
  expect(Object.fromEntries((call?.attributes ?? []).map(({ key, value }) => [key, value]))).toMatchObject({
    "gen_ai.operation.name": { stringValue: "chat" },
    "gen_ai.request.max_tokens": { intValue: "9" },
    "gen_ai.request.temperature": { doubleValue: 1 },
    "gen_ai.response.id": { stringValue: "chatcmpl-1" },
    "gen_ai.response.model": { stringValue: "alpha-2026" },
    "gen_ai.response.finish_reasons": { arrayValue: { values: [{ stringValue: "stop" }] } },
    "gen_ai.usage.cache_read.input_tokens": { intValue: "3" },
    "server.address": { stringValue: "127.0.0.1" },
    "server.port": { intValue: new URL(upstream.origin).port },
  });
});

it("names an embedding by its operation", async () => {
  const trace = "1af7651916cd43dd8448eb211c80319c";
  const token = await server.createToken("owner", ["gateway.use"]);
  const json = { model: "text-embedding-alpha", input: "Hi" };
  const response = await server.ask("/v1/embeddings", { token, headers: headersOf(trace), json });
  expect(response.status).toBe(200);
  const [call] = await spansOf(trace, "embeddings text-embedding-alpha");
  const operation = { key: "gen_ai.operation.name", value: { stringValue: "embeddings" } };
  expect(call?.attributes).toContainEqual(operation);
});

it("has an agent's calls and those of tools at /mcp below one another", async () => {
  const trace = "2af7651916cd43dd8448eb211c80319c";
  const persona = { name: "Helper", systemPrompt: "Be brief.", defaultModel: "alpha" };
  const made = await server.ask("/api/personas", { as: "owner", json: persona });
  const { id } = (await made.json()) as { id: string };
  const token = await server.createToken("owner");
  const params = { name: "ask_persona", arguments: { message: "Hi", persona: "Helper" } };
  const response = await server.ask("/mcp", {
    token,
    headers: { ...headersOf(trace), accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  });
  expect(response.status).toBe(200);
  await response.text();
  const names = ["POST /mcp", "execute_tool ask_persona", "invoke_agent Helper", "chat alpha"];
  const [request, tool, agent, call] = await spansOf(trace, ...names);
  expect([tool, agent, call].map((span) => span?.parentSpanId)).toEqual([
    request?.spanId,
    tool?.spanId,
    agent?.spanId,
  ]);
  expect(agent?.attributes).toContainEqual({ key: "gen_ai.agent.id", value: { stringValue: id } });
});

it("keeps a trace with a run that waits through a restart, and sends it on from its steps", async () => {
  const trace = "1bf7651916cd43dd8448eb211c80319c";
  const made = await server.ask("/api/workflows", {
    as: "owner",
    json: {
      name: "Traced",
      triggers: [{ id: "hook", type: "webhook", config: {} }],
      steps: [
        { type: "http_request", config: { url: `${upstream.origin}/slow` } },
        { type: "http_request", config: { url: `${upstream.origin}/after` } },
      ],
    },
  });
  const { id } = (await made.json()) as { id: string };
  const hooks = await (await server.ask(`/api/workflows/${id}/webhooks`, { as: "owner" })).text();
  const path = /\/api\/hooks\/[\w-]+/.exec(hooks)?.[0] ?? "";
  expect((await server.ask(path, { json: {}, headers: headersOf(trace) })).status).toBe(202);
  await expect.poll(() => called("/slow")).toBeDefined();
  await server.restart();
  release();
  const [run, step] = await spansOf(trace, "invoke_workflow Traced", "step http_request");
  const [request] = await spansOf(trace, "POST /api/hooks/{token}");
  expect([request?.parentSpanId, run?.parentSpanId, step?.parentSpanId]).toEqual([
    CALLER,
    request?.spanId,
    run?.spanId,
  ]);
  expect(called("/after")?.headers).toMatchObject({
    traceparent: expect.stringMatching(new RegExp(`^00-${trace}-[\\da-f]{16}-01$`)),
    tracestate: "vendor=abc",
  });
});
