import { z } from "zod";
import { choice, type Field, number, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

/** Always offered; the provider `model` allows any id. */
export const EMBEDDING_MODELS = [
  "text-embedding-3-small",
  "text-embedding-3-large",
  "text-embedding-ada-002",
] as const;

const ModelId = z
  .string("Enter a model ID")
  .trim()
  .min(1, "Enter a model ID")
  .max(200, "Use at most 200 characters in a model ID");

const embeddingModel: Field<string> = {
  label: "Embedding model",
  hint: "Choose the model that turns text into vectors",
  appliedBy: "index",
  schema: ModelId,
  fallback: "text-embedding-3-small",
  control: { kind: "text", maxLength: 200, suggestions: EMBEDDING_MODELS },
};

const rerankModel: Field<string | null> = {
  label: "Reranking model",
  hint: "Choose the reranker or chat model that reorders results; null for none",
  appliedBy: "search",
  schema: ModelId.nullable(),
  fallback: null,
  control: { kind: "text", maxLength: 200 },
};

export const rag = defineGroup({
  id: "rag",
  label: "RAG & Embedding Settings",
  permission: "settings.manage",
  fields: {
    ragEnabled: toggle(true, {
      label: "RAG enabled",
      hint: "Embed and search documents",
      appliedBy: "documents",
    }),
    ragVectorMode: choice(
      ["off", "qdrant", "qdrant-cloud", "sqlite"],
      "qdrant",
      { label: "Vector store", hint: "Choose where vectors are stored", appliedBy: "index" },
      {
        off: "Off (keywords only)",
        qdrant: "Qdrant",
        "qdrant-cloud": "Qdrant Cloud",
        sqlite: "SQLite (built in)",
      },
    ),
    embeddingProvider: choice(
      ["auto", "litellm", "openai", "off", "model", "builtin"],
      "auto",
      {
        label: "Embedding provider",
        hint: "Choose the provider of the embedding model; builtin is the built-in lexical embedder",
        appliedBy: "index",
      },
      {
        auto: "Automatic",
        litellm: "LiteLLM",
        openai: "OpenAI",
        off: "Off (keywords only)",
        model: "Any provider that serves the model",
        builtin: "Built-in lexical embedder",
      },
    ),
    embeddingModel,
    chunkTokens: number(400, {
      label: "Chunk size",
      hint: "Set the approximate length of a chunk, in tokens",
      min: 100,
      max: 1000,
      unit: "tokens",
      appliedBy: "index",
    }),
    chunkOverlap: number(60, {
      label: "Chunk overlap",
      hint: "Set how many tokens a chunk repeats from the previous one",
      min: 0,
      max: 200,
      unit: "tokens",
      appliedBy: "index",
    }),
    rerankModel,
  },
});
