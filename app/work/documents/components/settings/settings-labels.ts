import type { RagStatus, SearchIndex } from "~/work/index/indexes.schema";

export const STORES: Record<RagStatus["store"], string> = {
  sqlite: "SQLite (built in)",
  qdrant: "Qdrant",
  none: "None, keywords only",
};

export function nextIndex({ indexes }: RagStatus): SearchIndex | undefined {
  const inState = (...states: SearchIndex["state"][]) => indexes.find(({ state }) => states.includes(state));
  return inState("building", "ready") ?? inState("failed", "cancelled");
}
