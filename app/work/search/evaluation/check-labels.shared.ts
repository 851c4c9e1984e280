import type { CheckedSetting } from "./retrieval-check.schema";

export const CHECK_MODE_LABELS = { keywords: "Keywords", vectors: "Vectors", hybrid: "Hybrid" } as const;
export const CHECK_INDEX_LABELS = { serving: "Current index", next: "New index" } as const;

export function settingLabel({ index, mode }: Pick<CheckedSetting, "index" | "mode">): string {
  return `${CHECK_INDEX_LABELS[index]}, ${CHECK_MODE_LABELS[mode].toLowerCase()}`;
}
