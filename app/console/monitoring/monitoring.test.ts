import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { reportRequest, setRouteMatcher } from "~/core/telemetry.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { recordToolCall, recordUsage } from "~/team/usage/usage.service.server";
import { engine } from "~/work/workflows/engine/local-engine.server";
import { runWorkflow, startWorkflows } from "~/work/workflows/runs.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
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

const request = (path: string, status: number, requestId = "req_1") =>
  reportRequest(requestId, "GET", path, status, performance.now() - 25);
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
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}

describe("tracing", () => {
  it("loads nothing while it is off, and sends a request with its calls when it is on", async () => {
    const tracing = followTracing();
    request("/personas", 200, "req_before");
    expect(isLoaded("@opentelemetry/sdk-trace-base")).toBe(false);
    updateSettings(test.actors.admin, "monitoring", { enableTracing: true });
    await tracing.applied();
    transaction((tx) => recordUsage(tx, { ...test.actors.member, requestId: "req_1" }, call));
    request("/personas", 500);
    await tracing.stop();

    const [sending, ...others] = collector.requests;
    expect([sending?.url, sending?.headers["x-key"], others]).toEqual(["/v1/traces", "a secret", []]);
    const sent = JSON.parse(sending?.body ?? "") as {
      resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: Span[] }[] }[];
    };
    expect(sent.resourceSpans[0]?.resource.attributes).toEqual([
      { key: "service.name", value: { stringValue: "ai-console" } },
    ]);
    const spans = sent.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["chat gpt-5-mini", 3],
      ["GET /personas", 2],
    ]);
    const [model, server] = spans;
    expect([model?.traceId, model?.parentSpanId]).toEqual([server?.traceId, server?.spanId]);
    expect(server?.parentSpanId).toBeUndefined();
    expect(model?.attributes).toContainEqual({
      key: "gen_ai.usage.input_tokens",
      value: { intValue: "100" },
    });
    expect(model?.attributes).toContainEqual({
      key: "gen_ai.provider.name",
      value: { stringValue: "openai" },
    });
    expect(server?.attributes).toContainEqual({
      key: "http.response.status_code",
      value: { intValue: "500" },
    });
  });
});

it("a run of a workflow is a trace with its steps and their calls", async () => {
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
  const run = await runWorkflow(member, id, {});
  const { state } = await engine().ended(run.id, AbortSignal.timeout(10_000));
  await stop();
  await tracing.stop();
  expect(state).toBe("succeeded");
  const spans = collector.requests.flatMap(
    ({ body }) =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans[0]
        ?.scopeSpans[0]?.spans ?? [],
  );
  const find = (name: string) => spans.find((span) => span.name === name);
  const [root, ai, log] = [find("invoke_workflow Digest"), find("step ai_completion"), find("step log")];
  const call = find("chat quarterdeck-offline");
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([root?.traceId]));
  expect([root, ai, log, call].map((span) => span?.parentSpanId)).toEqual([
    undefined,
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
