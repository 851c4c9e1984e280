import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomBytes } from "node:crypto";

/** A span as others refer to it: https://www.w3.org/TR/trace-context/ */
export interface TraceSpan {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentId?: string;
  /** Whether the trace is recorded, as its beginning decided. */
  isSampled: boolean;
  /** The other vendors' `tracestate`, which is passed on unchanged. */
  state?: string;
}

/** A trace as it is kept with work that waits, and sent to others. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string;
}

/** Undefined while tracing is off: then no trace is continued, kept or sent. */
let current: { propagates: boolean } | undefined;

/** @param options.propagates whether outgoing calls carry the trace */
export function setTracing(options: { propagates: boolean } | undefined): void {
  current = options;
}

const storage = new AsyncLocalStorage<TraceSpan | undefined>();

/** Runs work as part of a span: what it calls and records belongs to it. */
export const inTrace = <T>(span: TraceSpan | undefined, work: () => T): T => storage.run(span, work);

const currentSpan = (): TraceSpan | undefined => storage.getStore();

const newSpanId = () => randomBytes(8).toString("hex");

/** A new span, by default below the current one. @returns undefined while tracing is off */
export function newSpan(parent: TraceSpan | undefined = currentSpan()): TraceSpan | undefined {
  if (!current) return undefined;
  const spanId = newSpanId();
  if (!parent) return { traceId: randomBytes(16).toString("hex"), spanId, isSampled: true };
  return { ...parent, spanId, parentId: parent.spanId };
}

/** A span whose ids follow from a name, so that they are the same after a restart. */
export function namedSpan(name: string, parent?: TraceSpan): TraceSpan {
  const digest = createHash("sha256").update(name).digest("hex");
  const spanId = digest.slice(32, 48);
  if (!parent) return { traceId: digest.slice(0, 32), spanId, isSampled: true };
  return { ...parent, spanId, parentId: parent.spanId };
}

/** Longer ones are dropped, in characters: the least that must be passed on. */
const MAX_STATE = 512;
const MAX_ENTRIES = 32;
const ENTRY =
  /^[ \t]*(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e][ \t]*$/;

/** @returns undefined if an entry is malformed: the whole is dropped then */
function readState(header: string | undefined): string | undefined {
  if (!header || header.length > MAX_STATE) return undefined;
  const entries = header.split(",").filter((entry) => entry.trim() !== "");
  const names = new Set(entries.map((entry) => entry.slice(0, entry.indexOf("=")).trim()));
  if (entries.length > MAX_ENTRIES || names.size < entries.length) return undefined;
  return entries.length > 0 && entries.every((entry) => ENTRY.test(entry))
    ? entries.map((entry) => entry.trim()).join(",")
    : undefined;
}

/** Later versions may have more behind it. */
const PARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** @returns the caller's span; undefined for headers that W3C Trace Context says to ignore */
export function readTrace(headers: {
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}): TraceSpan | undefined {
  const { traceparent = "", tracestate } = headers;
  const [, version, traceId, spanId, flags, more] = PARENT.exec(traceparent.slice(0, 512)) ?? [];
  if (!traceId || !spanId || (version === "00" && more !== undefined)) return undefined;
  const state = readState(tracestate);
  const isSampled = (Number.parseInt(flags ?? "", 16) & 1) === 1;
  return { traceId, spanId, isSampled, ...(state && { state }) };
}

const toHeaders = ({ traceId, spanId, isSampled, state }: TraceSpan): TraceHeaders => ({
  traceparent: `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`,
  ...(state && { tracestate: state }),
});

/** The current trace for work that waits; undefined while tracing is off, or outside of any. */
export function traceToKeep(): TraceHeaders | undefined {
  const span = currentSpan();
  return current && span ? toHeaders(span) : undefined;
}

/** Of the current trace for an outgoing call; none if it isn't passed on. */
export function outgoingTrace(): Partial<TraceHeaders> {
  return current?.propagates ? (traceToKeep() ?? {}) : {};
}
