import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import type { ComparedAnswer } from "../comparisons.schema";

/** Lower is better. */
export type Figure = "firstTokenMs" | "durationMs" | "costMicros";

/** The best columns by a figure: complete answers only, and none if all are equal. */
export function bestIn(answers: readonly ComparedAnswer[], figure: Figure): ReadonlySet<string> {
  const values = answers.flatMap(({ conversationId, model, answer }) => {
    const counts = answer.status === "complete" && model !== OFFLINE_MODEL;
    const value = counts ? answer.metrics?.[figure] : null;
    return value === null || value === undefined ? [] : [{ conversationId, value }];
  });
  const lowest = Math.min(...values.map(({ value }) => value));
  const best = values.filter(({ value }) => value === lowest);
  return new Set(best.length < values.length ? best.map(({ conversationId }) => conversationId) : []);
}
