import type { EmbeddingChoices, RagStatus, SearchIndex } from "../../index/indexes.schema";

/** What the settings' dropdowns offer. */
export interface SettingsChoices {
  embedding: EmbeddingChoices;
  /** Ids of models that can put results in order. */
  rerankModels: readonly string[];
}

export const STORES: Record<RagStatus["store"], string> = {
  sqlite: "SQLite (built in)",
  qdrant: "Qdrant",
  none: "None, keywords only",
};

/** The index that is being made or waits; else one that came to nothing. */
export function nextIndex({ indexes }: RagStatus): SearchIndex | undefined {
  const inState = (...states: SearchIndex["state"][]) => indexes.find(({ state }) => states.includes(state));
  return inState("building", "ready") ?? inState("failed", "cancelled");
}
