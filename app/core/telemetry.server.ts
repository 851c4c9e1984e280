/** An answered request. */
export interface RequestFacts {
  requestId: string;
  method: string;
  /** The pattern of its route, such as `/api/personas/{id}`: never the address itself. */
  route: string;
  status: number;
  durationMs: number;
}

/** A finished call to a model or a tool. */
export interface CallFacts {
  /** The request, or the step of a workflow's run (`stepRequestId`), that it was part of. */
  requestId: string | undefined;
  /** The run of a workflow that it was part of. */
  runId: string | null;
  /** What asked for it, such as `chat`. */
  source: string;
  /** Set for a tool's call; the model's fields are empty then. */
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

/** A run of a workflow that has ended. */
export interface RunFacts {
  runId: string;
  workflowId: string;
  workflowName: string;
  trigger: string;
  state: string;
  durationMs: number;
}

/** A step that has ended. */
export interface StepFacts {
  runId: string;
  /** Its id; within For Each `loop[3].step`. */
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

/** What the calls of a step have in the place of a request's id. */
export const stepRequestId = (runId: string, key: string): string => `${runId}:${key}`;

// Without an observer, as usual, nothing is gathered.
const observers = new Set<TelemetryObserver>();
let routeOf: (path: string) => string = () => "unmatched";

/** @returns the way to stop */
export function observeTelemetry(observer: TelemetryObserver): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/** Hands in the way from a path to its route's pattern, which the HTTP edge knows. */
export function setRouteMatcher(match: (path: string) => string): void {
  routeOf = match;
}

/** @param started of `performance.now()` */
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

/** @param facts are read only while someone observes runs */
export function reportRun(facts: () => RunFacts | undefined): void {
  for (const { run } of observers) {
    const known = run && facts();
    if (known) run(known);
  }
}

export function reportStep(facts: () => StepFacts): void {
  for (const { step } of observers) step?.(facts());
}
