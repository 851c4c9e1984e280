import { z } from "zod";
import { Theme } from "~/features/branding/branding.schema";

const RAG_VECTOR_MODES = ["off", "qdrant", "qdrant-cloud", "sqlite"] as const;
/** The specification's four, then any model that a provider serves, and the built-in lexical embedder by name. */
const EMBEDDING_PROVIDERS = ["auto", "litellm", "openai", "off", "model", "builtin"] as const;
/** What is always offered; with `model` it is any id that a provider serves. */
export const EMBEDDING_MODELS = [
  "text-embedding-3-small",
  "text-embedding-3-large",
  "text-embedding-ada-002",
] as const;
const EmbeddingModel = z.string().trim().min(1).max(200, "A model's id has at most 200 characters");
const ChunkTokens = z.number().int().min(100, "At least 100 tokens").max(1000, "At most 1000 tokens");
const ChunkOverlap = z.number().int().min(0).max(200, "At most 200 tokens");

/** What the organisation's rag settings hold; each of the specification's has its default. */
export const RagSettings = z.object({
  ragEnabled: z.boolean().default(true),
  ragVectorMode: z.enum(RAG_VECTOR_MODES).default("qdrant"),
  embeddingProvider: z.enum(EMBEDDING_PROVIDERS).default("auto"),
  embeddingModel: EmbeddingModel.default("text-embedding-3-small"),
  chunkTokens: ChunkTokens.default(400).describe("About how long a chunk is, in tokens"),
  chunkOverlap: ChunkOverlap.default(60).describe("What a chunk repeats of the one before, in tokens"),
  rerankModel: EmbeddingModel.nullable().default(null).describe("A chat model that puts results in order"),
  compareFirst: z
    .boolean()
    .default(false)
    .describe("Whether a new index waits until a person has compared and switches to it"),
});
export type RagSettings = z.infer<typeof RagSettings>;

/** How long a provider may be silent, in milliseconds, and how often a call to it is tried again (section 3, ai). */
export const AiLimits = z.object({
  timeout: z.number().int().min(100).max(600_000).default(30_000),
  retryAttempts: z.number().int().min(0).max(5).default(3),
  /** Whether other providers and the fallback models are asked where the first choice fails. */
  enableFallback: z.boolean().default(true),
});
export type AiLimits = z.infer<typeof AiLimits>;

/** The part of the advanced settings that watching providers needs; the whole group comes with its screen. */
export const Monitoring = z.object({ healthChecks: z.boolean().default(true) });

/** The person's own preferences and the organisation's rag settings, as one answer. */
export const UserSettings = RagSettings.extend({
  preferredModel: z.string().nullable().describe("The model the person chose last; their own"),
  theme: Theme.nullable().describe("The person's own; null follows the organisation's branding"),
});
export type UserSettings = z.infer<typeof UserSettings>;

/** Changes what it names and leaves the rest. The rag and embedding fields take an admin. */
export const UserSettingsInput = z
  .strictObject({
    ragEnabled: z.boolean(),
    ragVectorMode: z.enum(RAG_VECTOR_MODES),
    embeddingProvider: z.enum(EMBEDDING_PROVIDERS),
    embeddingModel: EmbeddingModel,
    chunkTokens: ChunkTokens,
    chunkOverlap: ChunkOverlap,
    rerankModel: EmbeddingModel.nullable(),
    compareFirst: z.boolean(),
    preferredModel: z.string().trim().min(1).max(200).nullable(),
    theme: Theme.nullable(),
  })
  .partial();
export type UserSettingsInput = z.infer<typeof UserSettingsInput>;

/** The user card's choice of theme. */
export const ThemeChoice = z.object({ theme: Theme });

/** The top bar's model picker. */
export const ModelChoice = z.object({ model: z.string().trim().min(1, "Choose a model").max(200) });
export type ModelChoice = z.infer<typeof ModelChoice>;
