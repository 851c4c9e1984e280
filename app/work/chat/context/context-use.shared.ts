import type { ContextUse } from "~/ai/tools/answer-stream.schema";

/** What fills a context, in the order that it is shown. */
export const CONTEXT_ROWS = [
  ["system", "Instructions"],
  ["tools", "Tools"],
  ["passages", "Passages"],
  ["summary", "Summary"],
  ["turns", "Messages"],
] as const satisfies readonly (readonly [keyof ContextUse, string])[];

export const contextTokens = (use: ContextUse): number =>
  CONTEXT_ROWS.reduce((sum, [key]) => sum + use[key], 0);

/** In whole percent; undefined if the context's length is unknown. */
export function contextShare(use: ContextUse | undefined): number | undefined {
  if (use?.length === undefined) return undefined;
  return Math.min(100, Math.round((contextTokens(use) / use.length) * 100));
}
