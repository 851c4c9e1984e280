import { createHash } from "node:crypto";
import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from "@opentelemetry/sdk-trace-base";
import { now } from "~/core/clock.server";
import {
  type CallFacts,
  observeTelemetry,
  type RequestFacts,
  type RunFacts,
  type StepFacts,
  stepRequestId,
} from "~/core/telemetry.server";
import { type Collector, otlpExporter } from "./otlp-exporter.server";

/** Probes and assets would be most spans. */
const QUIET = new Set(["/assets/*", "/healthz", "/readyz", "/metrics", "/api/health"]);

const random = new RandomIdGenerator();

interface SpanIds {
  traceId: string;
  spanId: string;
}

/** Derived from the request id, so that calls know their parent before it ends. */
function idsOf(requestId: string): SpanIds {
  const digest = createHash("sha256").update(requestId).digest("hex");
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

class RequestIds implements IdGenerator {
  next: SpanIds | undefined;
  generateTraceId = () => this.next?.traceId ?? random.generateTraceId();
  generateSpanId = () => this.next?.spanId ?? random.generateSpanId();
}

interface SpanFacts {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  durationMs: number;
  failed: boolean;
}

const present = (attributes: Record<string, string | number | null | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined),
  ) as Attributes;

/** Attributes of https://opentelemetry.io/docs/specs/semconv/gen-ai/, without prompts and answers. */
function callSpan(facts: CallFacts): SpanFacts {
  const { tool, model, outcome, errorCode, source } = facts;
  const durationMs = facts.durationMs ?? 0;
  const failed = outcome === "error";
  const error = failed ? (errorCode ?? "_OTHER") : null;
  if (tool !== null)
    return {
      name: `execute_tool ${tool}`,
      kind: SpanKind.INTERNAL,
      failed,
      durationMs,
      attributes: present({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "quarterdeck.source": source,
        "error.type": error,
      }),
    };
  // Embeddings have no output.
  const operation = source === "knowledge" && facts.outputTokens === null ? "embeddings" : "chat";
  return {
    name: `${operation} ${model}`,
    kind: SpanKind.CLIENT,
    failed,
    durationMs,
    attributes: present({
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": facts.providerType,
      "gen_ai.request.model": model,
      "gen_ai.usage.input_tokens": facts.inputTokens,
      "gen_ai.usage.output_tokens": facts.outputTokens,
      "quarterdeck.first_token_ms": facts.firstTokenMs,
      "quarterdeck.cost_dollars": facts.costMicros === null ? null : facts.costMicros / 1_000_000,
      "quarterdeck.source": source,
      "error.type": error,
    }),
  };
}

function requestSpan({ method, route, status, durationMs }: RequestFacts): SpanFacts {
  const failed = status >= 500;
  return {
    name: `${method} ${route}`,
    kind: SpanKind.SERVER,
    failed,
    durationMs,
    attributes: present({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
      "error.type": failed ? String(status) : null,
    }),
  };
}

function runSpan(facts: RunFacts): SpanFacts {
  const { runId, workflowId, workflowName, trigger, state, durationMs } = facts;
  const failed = state === "failed";
  return {
    name: `invoke_workflow ${workflowName}`,
    kind: SpanKind.INTERNAL,
    failed,
    durationMs,
    attributes: present({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": workflowName,
      "quarterdeck.workflow.id": workflowId,
      "quarterdeck.run.id": runId,
      "quarterdeck.run.trigger": trigger,
      "quarterdeck.run.state": state,
      "error.type": failed ? "_OTHER" : null,
    }),
  };
}

function stepSpan({ runId, key, type, state, attempts, durationMs }: StepFacts): SpanFacts {
  const failed = state === "failed";
  return {
    name: `step ${type}`,
    kind: SpanKind.INTERNAL,
    failed,
    durationMs,
    attributes: present({
      "quarterdeck.run.id": runId,
      "quarterdeck.step.key": key,
      "quarterdeck.step.type": type,
      "quarterdeck.step.attempts": attempts,
      "error.type": failed ? "_OTHER" : null,
    }),
  };
}

const contextOf = (ids: SpanIds) =>
  trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED });

function parentOf({ requestId, runId }: CallFacts) {
  if (!requestId) return ROOT_CONTEXT;
  const ids = idsOf(requestId);
  return contextOf(runId === null ? ids : { ...ids, traceId: idsOf(runId).traceId });
}

/** @returns a stop function that flushes */
export function startTracer(collector: Collector): () => Promise<void> {
  const ids = new RequestIds();
  const processor = new BatchSpanProcessor(otlpExporter(collector));
  const provider = new BasicTracerProvider({ idGenerator: ids, spanProcessors: [processor] });
  const tracer = provider.getTracer("quarterdeck");

  /** @param own identifiers of the span that others know beforehand */
  function record(facts: SpanFacts, context = ROOT_CONTEXT, own?: SpanIds): void {
    const { name, kind, attributes, durationMs, failed } = facts;
    const end = now();
    ids.next = own;
    const span = tracer.startSpan(name, { kind, attributes, startTime: end - durationMs }, context);
    ids.next = undefined;
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  const stop = observeTelemetry({
    request(facts) {
      if (!QUIET.has(facts.route)) record(requestSpan(facts), ROOT_CONTEXT, idsOf(facts.requestId));
    },
    call: (facts) => record(callSpan(facts), parentOf(facts)),
    step: (facts) =>
      record(stepSpan(facts), contextOf(idsOf(facts.runId)), idsOf(stepRequestId(facts.runId, facts.key))),
    run: (facts) => record(runSpan(facts), ROOT_CONTEXT, idsOf(facts.runId)),
  });
  return async () => {
    stop();
    await provider.shutdown();
  };
}
