import { createTraceState, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from "@opentelemetry/sdk-trace-base";
import { now } from "~/core/clock.server";
import { observeTelemetry } from "~/core/telemetry.server";
import type { TraceSpan } from "~/core/trace-context.server";
import { callSpan, operationSpan, requestSpan, runSpan, type SpanFacts, stepSpan } from "./conventions";
import { type Collector, otlpExporter } from "./otlp-exporter.server";

/** Probes and assets would be most spans. */
const QUIET = new Set(["/assets/*", "/healthz", "/readyz", "/metrics", "/api/health"]);

const random = new RandomIdGenerator();

/** Gives the next span the ids that others know beforehand. */
class KnownIds implements IdGenerator {
  next: TraceSpan | undefined;
  generateTraceId = () => this.next?.traceId ?? random.generateTraceId();
  generateSpanId = () => this.next?.spanId ?? random.generateSpanId();
}

function parentContext({ traceId, parentId, state }: TraceSpan) {
  if (parentId === undefined) return ROOT_CONTEXT;
  const ids = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED };
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...ids,
    ...(state && { traceState: createTraceState(state) }),
  });
}

/** @returns a stop function that flushes */
export function startTracer(collector: Collector): () => Promise<void> {
  const ids = new KnownIds();
  const processor = new BatchSpanProcessor(otlpExporter(collector));
  const provider = new BasicTracerProvider({ idGenerator: ids, spanProcessors: [processor] });
  const tracer = provider.getTracer("quarterdeck");

  /** @param own undefined for what began before tracing was turned on */
  function record(facts: SpanFacts, own: TraceSpan | undefined): void {
    if (!own?.isSampled) return;
    const { name, kind, attributes, durationMs, failed } = facts;
    const end = now();
    ids.next = own;
    const options = { kind, attributes, startTime: end - durationMs };
    const span = tracer.startSpan(name, options, parentContext(own));
    ids.next = undefined;
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  const stop = observeTelemetry({
    request(facts) {
      if (!QUIET.has(facts.route)) record(requestSpan(facts), facts.trace);
    },
    call: (facts) => record(callSpan(facts), facts.details.trace),
    operation: (facts) => record(operationSpan(facts), facts.trace),
    step: (facts) => record(stepSpan(facts), facts.trace),
    run: (facts) => record(runSpan(facts), facts.trace),
  });
  return async () => {
    stop();
    await provider.shutdown();
  };
}
