import { OFFLINE_MODEL } from "~/features/models/offline-model.shared";
import type { ComparedAnswer } from "../comparisons.schema";

/** A figure of which less is better. */
export type Figure = "firstTokenMs" | "durationMs" | "costMicros";

/**
 * The columns that are best in a figure. Only whole answers of language models count, and there must be something to
 * compare: with one value, or the same one everywhere, none is best.
 */
export function bestIn(answers: readonly ComparedAnswer[], figure: Figure): ReadonlySet<string> {
  const values = answers.flatMap(({ conversationId, model, answer }) => {
    const counts = answer.status === "complete" && model !== OFFLINE_MODEL;
    const value = counts ? answer.metrics?.[figure] : null;
    return value === null || value === undefined ? [] : [{ conversationId, value }];
  });
  const least = Math.min(...values.map(({ value }) => value));
  const best = values.filter(({ value }) => value === least);
  return new Set(best.length < values.length ? best.map(({ conversationId }) => conversationId) : []);
}
