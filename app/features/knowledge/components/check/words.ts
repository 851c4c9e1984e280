import type { CheckedSetting } from "../../retrieval-check.schema";

export const MODES = { keywords: "Keywords", vectors: "Vectors", hybrid: "Hybrid" } as const;
export const INDEXES = { serving: "Serving index", next: "New index" } as const;

/** What was measured, in a few words. */
export function settingLabel({ index, mode }: Pick<CheckedSetting, "index" | "mode">): string {
  return `${INDEXES[index]}, ${MODES[mode].toLowerCase()}`;
}

/** A figure between 0 and 1. */
export const formatFigure = (value: number | null) => (value === null ? "–" : value.toFixed(3));
