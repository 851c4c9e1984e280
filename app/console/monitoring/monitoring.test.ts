import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newRouteRecord } from "~/ai/models/models.service.server";
import { transaction } from "~/core/db.server";
import { noteCall, reportRequest, setRouteMatcher } from "~/core/telemetry.server";
import { inTrace, newSpan, readTrace, type TraceSpan } from "~/core/trace-context.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { recordToolCall, recordUsage } from "~/team/usage/usage.service.server";
import { engine } from "~/work/workflows/engine/local-engine.server";
import { runWorkflow, startWorkflows } from "~/work/workflows/runs.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { providerName } from "./conventions";
import { followMetrics, readMetrics } from "./metrics.service.server";
import { readReadiness } from "./readiness.service.server";
import { followTracing } from "./tracing.service.server";

let test: ReturnType<typeof openTestDatabase>;
let collector: MockServer;
beforeEach(async () => {
  collector = await startMockServer((_, response) => response.end("{}"));
  test = openTestDatabase({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a secret",
  });
  setRouteMatcher((path) => (path === "/personas" ? "/personas" : "unmatched"));
});
afterEach(async () => {
  test.close();
  await collector.close();
});

const call = {
  providerId: null,
  providerType: "openai",
  model: "gpt-5-mini",
  inputTokens: 100,
  outputTokens: 20,
  costMicros: 3000,
  durationMs: 1500,
  firstTokenMs: 300,
  outcome: "ok",
} as const;

const request = (path: string, status: number, trace?: TraceSpan) =>
  reportRequest({ requestId: "req_1", method: "GET", status, trace }, path, performance.now() - 25);
const isLoaded = (name: string) =>
  Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes(`/node_modules/${name}/`));

describe("metrics", () => {
  it("count from the first call on, by route, model and tool", async () => {
    expect(isLoaded("prom-client")).toBe(false);
    const stop = followMetrics();
    request("/personas", 200);
    await readMetrics(test.actors.owner);
    request("/personas", 200);
    request("/a-secret-address", 404);
    transaction((tx) => {
      recordUsage(tx, test.actors.member, call);
      const tool = { tool: "web.fetch", source: { kind: "chat" }, durationMs: 5, errorCode: null } as const;
      recordToolCall(tx, test.actors.member, { ...tool, outcome: "ok" });
    });
    const { contentType, text } = await readMetrics(test.actors.owner);
    stop();
    expect(contentType).toMatch(/^text\/plain/);
    const lines = text.split("\n");
    for (const line of [
      'quarterdeck_http_request_duration_seconds_count{method="GET",route="/personas",status="200"} 1',
      'quarterdeck_http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 1',
      'quarterdeck_model_calls_total{provider="openai",model="gpt-5-mini",source="chat",outcome="ok"} 1',
      'quarterdeck_model_tokens_total{provider="openai",model="gpt-5-mini",source="chat",direction="input"} 100',
      'quarterdeck_model_cost_dollars_total{provider="openai",model="gpt-5-mini",source="chat"} 0.003',
      'quarterdeck_tool_calls_total{tool="web.fetch",source="chat",outcome="ok"} 1',
      'quarterdeck_workflow_runs{state="queued"} 0',
    ])
      expect(lines).toContain(line);
    expect(text).not.toContain("secret");
    expect(text).toMatch(/^quarterdeck_database_bytes [1-9]/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
    // As promtool wants it.
    expect(text).not.toMatch(/^# TYPE \S+_total gauge/m);
  });

  it("count a call without reported tokens or cost as a call only", async () => {
    const stop = followMetrics();
    await readMetrics(test.actors.owner);
    const unreported = { inputTokens: null, outputTokens: null, costMicros: null, durationMs: null };
    transaction((tx) =>
      recordUsage(tx, test.actors.member, { ...call, ...unreported, model: "quiet", outcome: "error" }),
    );
    const { text } = await readMetrics(test.actors.owner);
    stop();
    const lines = text.split("\n").filter((line) => line.includes('model="quiet"'));
    expect(lines.filter((line) => line.includes("model_calls_total"))).toEqual([
      'quarterdeck_model_calls_total{provider="openai",model="quiet",source="chat",outcome="error"} 1',
    ]);
    expect(lines.filter((line) => /tokens|dollars|duration/.test(line))).toEqual([]);
  });

  it("require an admin, and aren't found while they are off", async () => {
    await expect(readMetrics(test.actors.member)).rejects.toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    updateSettings(test.actors.admin, "monitoring", { enableMetrics: false });
    await expect(readMetrics(test.actors.admin)).rejects.toThrow(
      expect.objectContaining({ code: "not_found", message: expect.stringContaining("Metrics are off") }),
    );
  });
});

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Sent {
  resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: Span[] }[] }[];
}

const received = (): Span[] =>
  collector.requests.flatMap(
    ({ body }) => (JSON.parse(body) as Sent).resourceSpans[0]?.scopeSpans[0]?.spans ?? [],
  );
const valuesOf = (span: Span | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, value]));

async function whileTracing(work: () => Promise<void> | void): Promise<Span[]> {
  const tracing = followTracing();
  updateSettings(test.actors.admin, "monitoring", { enableTracing: true });
  await tracing.applied();
  await work();
  await tracing.stop();
  return received();
}

describe("tracing", () => {
  it("loads nothing while it is off, and sends a request with its calls when it is on", async () => {
    const tracing = followTracing();
    request("/personas", 200, newSpan());
    expect(isLoaded("@opentelemetry/sdk-trace-base")).toBe(false);
    updateSettings(test.actors.admin, "monitoring", { enableTracing: true });
    await tracing.applied();
    const caller = readTrace({
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "vendor=1",
    });
    const own = newSpan(caller);
    inTrace(own, () => transaction((tx) => recordUsage(tx, test.actors.member, call)));
    request("/personas", 500, own);
    await tracing.stop();

    const [sending, ...others] = collector.requests;
    expect([sending?.url, sending?.headers["x-key"], others]).toEqual(["/v1/traces", "a secret", []]);
    const sent = JSON.parse(sending?.body ?? "") as Sent;
    expect(sent.resourceSpans[0]?.resource.attributes).toEqual([
      { key: "service.name", value: { stringValue: "ai-console" } },
    ]);
    const spans = received();
    expect(spans.map(({ name, kind, traceState }) => [name, kind, traceState])).toEqual([
      ["chat gpt-5-mini", 3, "vendor=1"],
      ["GET /personas", 2, "vendor=1"],
    ]);
    const [model, server] = spans;
    expect([model?.traceId, model?.parentSpanId]).toEqual([caller?.traceId, own?.spanId]);
    expect([server?.traceId, server?.spanId, server?.parentSpanId]).toEqual([
      caller?.traceId,
      own?.spanId,
      caller?.spanId,
    ]);
    expect(valuesOf(server)).toMatchObject({
      "http.response.status_code": { intValue: "500" },
      "error.type": { stringValue: "500" },
    });
  });

  it("sends nothing of a trace that its caller doesn't record", async () => {
    const spans = await whileTracing(() => {
      const own = newSpan(
        readTrace({ traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" }),
      );
      inTrace(own, () => transaction((tx) => recordUsage(tx, test.actors.member, call)));
      request("/personas", 200, own);
    });
    expect(spans).toEqual([]);
  });

  it("names what is known of a call, each attribute with one type", async () => {
    const route = newRouteRecord();
    const spans = await whileTracing(() => {
      noteCall(route, {
        operation: "chat",
        origin: "https://generativelanguage.googleapis.com",
        isStream: true,
        maxTokens: 512,
        temperature: 1,
        responseId: "resp_1",
        responseModel: "gemini-5-flash-001",
        finishReasons: ["stop"],
      });
      transaction((tx) => {
        const google = { ...call, providerType: "google", firstTokenMs: 2000, costMicros: 0, route };
        recordUsage(tx, test.actors.member, { ...google, cacheReadTokens: 30 });
        const tool = { tool: "web.fetch", source: { kind: "chat" }, durationMs: 5 } as const;
        const details = { toolCallId: "call_7" };
        recordToolCall(tx, test.actors.member, { ...tool, outcome: "error", errorCode: "timeout", details });
      });
    });
    expect(valuesOf(spans[0])).toMatchObject({
      "gen_ai.operation.name": { stringValue: "chat" },
      "gen_ai.provider.name": { stringValue: "gcp.gemini" },
      "gen_ai.request.model": { stringValue: "gpt-5-mini" },
      "gen_ai.request.stream": { boolValue: true },
      "gen_ai.request.max_tokens": { intValue: "512" },
      "gen_ai.request.temperature": { doubleValue: 1 },
      "gen_ai.response.id": { stringValue: "resp_1" },
      "gen_ai.response.model": { stringValue: "gemini-5-flash-001" },
      "gen_ai.response.finish_reasons": { arrayValue: { values: [{ stringValue: "stop" }] } },
      "gen_ai.response.time_to_first_chunk": { doubleValue: 2 },
      "gen_ai.usage.input_tokens": { intValue: "100" },
      "gen_ai.usage.cache_read.input_tokens": { intValue: "30" },
      "quarterdeck.cost_dollars": { doubleValue: 0 },
      "server.address": { stringValue: "generativelanguage.googleapis.com" },
      "server.port": { intValue: "443" },
    });
    expect(spans[1]?.name).toBe("execute_tool web.fetch");
    expect(valuesOf(spans[1])).toMatchObject({
      "gen_ai.tool.call.id": { stringValue: "call_7" },
      "gen_ai.tool.name": { stringValue: "web.fetch" },
      "error.type": { stringValue: "timeout" },
    });
  });

  it.each([
    ["openai", "https://my-team.openai.azure.com", "azure.ai.openai"],
    ["custom", "https://bedrock-runtime.eu-west-1.amazonaws.com", "aws.bedrock"],
    ["custom", "https://api.groq.com", "groq"],
    ["custom", "https://models.example.com", "custom"],
    ["google", null, "gcp.gemini"],
    ["anthropic", "https://openai.azure.com.example.com", "anthropic"],
  ])("a provider of type %s at %s is %s", (type, origin, name) => {
    expect(providerName(type, origin)).toBe(name);
  });
});

it("a run of a workflow continues its caller's trace with its steps and their calls", async () => {
  const tracing = followTracing();
  const stop = startWorkflows();
  updateSettings(test.actors.admin, "monitoring", { enableTracing: true });
  await tracing.applied();
  const { member } = test.actors;
  const { id } = createWorkflow(member, {
    name: "Digest",
    description: "",
    connections: [],
    triggers: [{ type: "manual" }],
    steps: [
      { type: "ai_completion", config: { prompt: "Hello", model: "quarterdeck-offline" } },
      { type: "log", config: { message: "Done" } },
    ],
  });
  const caller = newSpan();
  const run = await inTrace(caller, () => runWorkflow(member, id, {}));
  const { state } = await engine().ended(run.id, AbortSignal.timeout(10_000));
  await stop();
  await tracing.stop();
  expect(state).toBe("succeeded");
  const spans = received();
  const find = (name: string) => spans.find((span) => span.name === name);
  const [root, ai, log] = [find("invoke_workflow Digest"), find("step ai_completion"), find("step log")];
  const call = find("chat quarterdeck-offline");
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([caller?.traceId]));
  expect([root, ai, log, call].map((span) => span?.parentSpanId)).toEqual([
    caller?.spanId,
    root?.spanId,
    root?.spanId,
    ai?.spanId,
  ]);
  expect(root?.attributes).toContainEqual({
    key: "gen_ai.operation.name",
    value: { stringValue: "invoke_workflow" },
  });
});

it("a console that runs no jobs isn't ready", async () => {
  expect(await readReadiness()).toEqual({
    ready: false,
    checks: { database: "ok", disk: "ok", queues: "failed", schedules: "failed" },
  });
});
