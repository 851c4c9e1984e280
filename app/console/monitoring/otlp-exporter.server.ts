import type { Attributes, HrTime, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import { guardedFetch } from "~/core/egress/index.server";
import { log } from "~/core/log.server";
import { DOUBLES } from "./conventions";

/** Timeout, in ms. */
const TIMEOUT = 10_000;
/** OTLP numbers the kinds of spans from 1, the API from 0. */
const KIND_OFFSET = 1;
/** `ExportResultCode` of @opentelemetry/core. */
const RESULT = { success: 0, failed: 1 } as const;

export interface Collector {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
}

function toValue(value: unknown, isDouble = false): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((item) => toValue(item)) } };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { stringValue: String(value) };
  return Number.isInteger(value) && !isDouble ? { intValue: String(value) } : { doubleValue: value };
}

const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value, DOUBLES.has(key)) }));

const toNanos = ([seconds, nanos]: HrTime) => String(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));

function toSpan(span: ReadableSpan) {
  const { traceId, spanId, traceState } = span.spanContext();
  const { code }: { code: SpanStatusCode } = span.status;
  return {
    traceId,
    spanId,
    ...(traceState ? { traceState: traceState.serialize() } : {}),
    ...(span.parentSpanContext ? { parentSpanId: span.parentSpanContext.spanId } : {}),
    name: span.name,
    kind: span.kind + KIND_OFFSET,
    startTimeUnixNano: toNanos(span.startTime),
    endTimeUnixNano: toNanos(span.endTime),
    attributes: toAttributes(span.attributes),
    status: { code },
  };
}

/**
 * OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp) through the egress guard, which the official
 * exporter would bypass.
 */
export function otlpExporter({ endpoint, headers, resource }: Collector): SpanExporter {
  const fetch = guardedFetch("tracing", { allowOrigins: [endpoint], timeoutMs: TIMEOUT, maxRedirects: 0 });
  const sending = new Set<Promise<void>>();
  let failing = false;

  async function send(spans: readonly ReadableSpan[]): Promise<void> {
    const scopeSpans = [{ scope: { name: "quarterdeck" }, spans: spans.map(toSpan) }];
    const body = { resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] };
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    if (!response.ok) throw new Error(`The collector responded with ${response.status}.`);
  }

  return {
    export(spans, done) {
      const sent: Promise<void> = send(spans)
        .then(
          () => {
            failing = false;
            done({ code: RESULT.success });
          },
          (error: Error) => {
            if (!failing) log.warn("traces could not be sent", { error });
            failing = true;
            done({ code: RESULT.failed, error });
          },
        )
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    forceFlush: async () => void (await Promise.all(sending)),
    shutdown: async () => void (await Promise.all(sending)),
  };
}
