import type { RagSettings } from "~/features/settings/settings.schema";

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
