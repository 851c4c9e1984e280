import type { CheckedSetting } from "./retrieval-check.schema";

export const CHECK_MODE_WORDS = { keywords: "Keywords", vectors: "Vectors", hybrid: "Hybrid" } as const;
export const CHECK_INDEX_WORDS = { serving: "Current index", next: "New index" } as const;

/** What was measured, in a few words. */
export function settingLabel({ index, mode }: Pick<CheckedSetting, "index" | "mode">): string {
  return `${CHECK_INDEX_WORDS[index]}, ${CHECK_MODE_WORDS[mode].toLowerCase()}`;
}
