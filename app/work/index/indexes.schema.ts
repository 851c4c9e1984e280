import { z } from "zod";
import type { EmbeddingOffer } from "./consent/consent.schema";

const EmbedderView = z.object({
  kind: z.enum(["lexical", "model"]),
  label: z.string(),
  model: z.string().describe("built-in-lexical for the built-in one"),
});

export const INDEX_STATES = ["building", "serving", "cancelled", "failed"] as const;

export const SearchIndex = z.object({
  id: z.string(),
  state: z.enum(INDEX_STATES).describe("building: in progress, then it takes over by itself"),
  store: z.enum(["sqlite", "qdrant", "none"]),
  embedder: EmbedderView.nullable().describe("Null for keywords only"),
  chunkTokens: z.number().int(),
  chunkOverlap: z.number().int(),
  done: z.number().int().describe("Chunks in it; a percentage for users who can't change settings"),
  total: z.number().int().describe("Total chunks; 100 for users who can't change settings; 0 while unknown"),
  error: z.string().nullable().describe("Why it is delayed or incomplete; retried automatically"),
  recall: z
    .number()
    .nullable()
    .describe("Share of the ten nearest that a search in Qdrant finds, 0 to 1; null if not measured"),
  createdAt: z.iso.datetime(),
  servedAt: z.iso.datetime().nullable(),
});
export type SearchIndex = z.infer<typeof SearchIndex>;

export const RagStatus = z.object({
  enabled: z.boolean(),
  store: z.enum(["sqlite", "qdrant", "none"]).describe("The store in effect"),
  storeProblem: z.string().nullable().describe("Why another store than the selected one is used, or none"),
  storeHint: z.string().nullable().describe("How to enable the default store, if no other one was chosen"),
  embedder: EmbedderView.nullable().describe("The embedder in effect; null for keywords only"),
  next: z
    .object({ store: SearchIndex.shape.store, embedder: EmbedderView.nullable() })
    .nullable()
    .describe("What the settings ask for and the next rebuild brings; null if it is in effect"),
  notices: z.array(z.string()).describe("Notes for people"),
  chunkNotice: z
    .string()
    .nullable()
    .describe("Why chunks are shorter than the settings have it, or should be"),
  server: z
    .object({
      state: z.enum(["ok", "failing", "paused"]).describe("paused: it doesn't answer and isn't asked"),
      error: z.string().nullable().describe("Why the last call failed; for users who can change settings"),
      since: z.iso.datetime().nullable().describe("Since when calls fail"),
      lagMs: z.number().describe("How long it has lacked something, in ms; 0 if it has everything"),
    })
    .nullable()
    .describe("Qdrant, if it is in use or an index is being built there"),
  vectorExtension: z.object({
    ok: z.boolean(),
    version: z.string().optional(),
    reason: z.string().optional(),
  }),
  indexes: z.array(SearchIndex),
});
export type RagStatus = z.infer<typeof RagStatus>;

/** What a rebuild does. */
export interface RebuildEstimate {
  /** Null if nothing leaves the console. */
  sent: EmbeddingOffer | null;
  /** Whether all chunks are embedded again, in place of those without a vector. */
  again: boolean;
}

export const IndexId = z.object({ id: z.string() });
