export interface RequestFacts {
  requestId: string;
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

export interface CallFacts {
  /** The request id, or `stepRequestId` of a workflow step. */
  requestId: string | undefined;
  runId: string | null;
  source: string;
  tool: string | null;
  providerType: string;
  model: string;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Millionths of a US dollar. */
  costMicros: number | null;
  firstTokenMs: number | null;
  durationMs: number | null;
  outcome: string;
  errorCode: string | null;
}

export interface RunFacts {
  runId: string;
  workflowId: string;
  workflowName: string;
  trigger: string;
  state: string;
  durationMs: number;
}

export interface StepFacts {
  runId: string;
  /** The step's id; within For each `loop[3].step`. */
  key: string;
  type: string;
  state: string;
  attempts: number;
  durationMs: number;
}

export interface TelemetryObserver {
  request(facts: RequestFacts): void;
  call(facts: CallFacts): void;
  run?(facts: RunFacts): void;
  step?(facts: StepFacts): void;
}

export const stepRequestId = (runId: string, key: string): string => `${runId}:${key}`;

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
  requestId: string,
  method: string,
  path: string,
  status: number,
  started: number,
): void {
  if (observers.size === 0) return;
  const durationMs = performance.now() - started;
  const facts = { requestId, method, route: routeOf(path), status, durationMs };
  for (const observer of observers) observer.request(facts);
}

export function reportCall(call: Omit<CallFacts, "requestId">, requestId: string | undefined): void {
  if (observers.size === 0) return;
  const facts = { ...call, requestId };
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
