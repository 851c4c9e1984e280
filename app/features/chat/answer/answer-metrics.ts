import type { AnswerMetrics } from "../chat.schema";

/** The sum; null where one of the values isn't known. */
export function sum(values: readonly (number | null)[]): number | null {
  let total = 0;
  for (const value of values) {
    if (value === null) return null;
    total += value;
  }
  return total;
}

/** The figures of an answer that was continued after approvals; the time between isn't counted. */
export function addMetrics(before: AnswerMetrics | null | undefined, after: AnswerMetrics): AnswerMetrics {
  if (!before) return after;
  const add = (key: "inputTokens" | "outputTokens" | "costMicros" | "durationMs") =>
    sum([before[key], after[key]]);
  return {
    ...before,
    ...after,
    provider: after.provider ?? before.provider,
    inputTokens: add("inputTokens"),
    outputTokens: add("outputTokens"),
    costMicros: add("costMicros"),
    firstTokenMs: before.firstTokenMs,
    durationMs: add("durationMs"),
    steps: before.steps + after.steps,
  };
}
