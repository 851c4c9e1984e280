import { newSpan, type TraceSpan } from "./trace-context.server";

export interface RequestFacts {
  requestId: string;
  method: string;
  route: string;
  status: number;
  durationMs: number;
  trace: TraceSpan | undefined;
}

/** What a trace says of a call beside its usage record, and which isn't stored. */
export interface CallDetails {
  /** Begun before the call, so that what it calls belongs to it. */
  trace?: TraceSpan | undefined;
  operation?: "chat" | "embeddings" | "rerank" | "image" | "transcription" | "speech";
  /** The provider's address. */
  origin?: string | null;
  isStream?: boolean;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  responseId?: string | undefined;
  responseModel?: string | undefined;
  finishReasons?: readonly string[];
  reasoningTokens?: number | undefined;
  toolCallId?: string | undefined;
}

export interface CallFacts {
  runId: string | null;
  conversationId: string | null;
  source: string;
  tool: string | null;
  providerType: string;
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Parts of the input. */
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  /** Millionths of a US dollar. */
  costMicros: number | null;
  firstTokenMs: number | null;
  durationMs: number | null;
  outcome: string;
  errorCode: string | null;
  details: CallDetails;
}

export interface RunFacts {
  runId: string;
  workflowId: string;
  workflowName: string;
  trigger: string;
  state: string;
  durationMs: number;
  trace: TraceSpan | undefined;
}

export interface StepFacts {
  runId: string;
  /** The step's id; within For each `loop[3].step`. */
  key: string;
  type: string;
  state: string;
  attempts: number;
  durationMs: number;
  trace: TraceSpan | undefined;
}

/** Work of a trace that isn't one call of a model, a step or a run. */
export type OperationFacts = {
  /** Begun before the work, so that what it calls belongs to it. */
  trace: TraceSpan | undefined;
  durationMs: number;
  /** Undefined unless it failed. */
  errorCode: string | undefined;
} & (
  | {
      /** An answer of a persona, or with tools: its calls of the model and the tools are below it. */
      kind: "agent";
      agent: { id: string; name: string } | undefined;
      model: string;
      conversationId: string | undefined;
      inputTokens: number | null;
      outputTokens: number | null;
      finishReason: string | undefined;
    }
  /** A call of one of the console's tools at `/mcp`. */
  | { kind: "tool"; tool: string }
);

export interface TelemetryObserver {
  request(facts: RequestFacts): void;
  call(facts: CallFacts): void;
  run?(facts: RunFacts): void;
  step?(facts: StepFacts): void;
  operation?(facts: OperationFacts): void;
}

// Nothing is collected without an observer.
const observers = new Set<TelemetryObserver>();
let routeOf: (path: string) => string = () => "unmatched";

export function observeTelemetry(observer: TelemetryObserver): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

export function setRouteMatcher(match: (path: string) => string): void {
  routeOf = match;
}

export function reportRequest(
  request: Pick<RequestFacts, "requestId" | "method" | "status" | "trace">,
  path: string,
  started: number,
): void {
  if (observers.size === 0) return;
  const durationMs = performance.now() - started;
  const facts = { ...request, route: routeOf(path), durationMs };
  for (const observer of observers) observer.request(facts);
}

const details = new WeakMap<object, CallDetails>();

/** Adds to what a trace says of a call. @param record the call's own, with which its usage is recorded */
export function noteCall(record: object, more: CallDetails): void {
  if (observers.size > 0) details.set(record, { ...details.get(record), ...more });
}

export const callDetails = (record: object): CallDetails => details.get(record) ?? {};

export function reportCall(call: CallFacts): void {
  if (observers.size === 0) return;
  const facts = { ...call, details: { ...call.details, trace: call.details.trace ?? newSpan() } };
  for (const observer of observers) observer.call(facts);
}

/** @param facts called only if an observer is registered */
export function reportRun(facts: () => RunFacts | undefined): void {
  for (const { run } of observers) {
    const collected = run && facts();
    if (collected) run(collected);
  }
}

export function reportStep(facts: () => StepFacts): void {
  for (const { step } of observers) step?.(facts());
}

export function reportOperation(facts: () => OperationFacts): void {
  for (const { operation } of observers) operation?.(facts());
}
