import type { AnswerMetrics } from "~/ai/tools/answer-stream.schema";

/** Null if any value is unknown. */
export function sum(values: readonly (number | null)[]): number | null {
  let total = 0;
  for (const value of values) {
    if (value === null) return null;
    total += value;
  }
  return total;
}

/** Figures of an answer continued after approvals, without the waiting time. */
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
