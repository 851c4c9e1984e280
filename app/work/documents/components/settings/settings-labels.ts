import type { RagSettings } from "~/platform/settings/settings.schema";
import type { EmbeddingChoices, RagStatus, SearchIndex } from "~/work/index/indexes.schema";

export interface SettingsChoices {
  embedding: EmbeddingChoices;
  rerankModels: readonly string[];
}

export const STORES: Record<RagStatus["store"], string> = {
  sqlite: "SQLite (built in)",
  qdrant: "Qdrant",
  none: "None, keywords only",
};

export function nextIndex({ indexes }: RagStatus): SearchIndex | undefined {
  const inState = (...states: SearchIndex["state"][]) => indexes.find(({ state }) => states.includes(state));
  return inState("building", "ready") ?? inState("failed", "cancelled");
}

export const VECTOR_MODES: Record<RagSettings["ragVectorMode"], string> = {
  off: "Off (keywords only)",
  qdrant: "Qdrant",
  "qdrant-cloud": "Qdrant Cloud",
  sqlite: "SQLite (built in)",
};

export const EMBEDDING_PROVIDERS: Record<RagSettings["embeddingProvider"], string> = {
  auto: "Automatic",
  litellm: "LiteLLM",
  openai: "OpenAI",
  model: "Any provider that serves the model",
  builtin: "Built-in lexical embedder",
  off: "Off (keywords only)",
};
