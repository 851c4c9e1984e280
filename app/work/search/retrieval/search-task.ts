import { z } from "zod";
import { DOCUMENT_TYPES } from "~/platform/catalogue/documents";

export const SearchMode = z.enum(["keywords", "vectors", "hybrid"]);
export type SearchMode = z.infer<typeof SearchMode>;

/** Hits of a remote store, best first. */
const Hits = z.array(z.object({ chunkId: z.number().int(), similarity: z.number() }));

export const SearchTask = z.object({
  database: z.string(),
  orgId: z.string(),
  userId: z.string(),
  index: z.object({
    id: z.number().int(),
    chunkSetId: z.number().int(),
    /** Null for keywords only. */
    space: z.object({ id: z.number().int(), kind: z.enum(["lexical", "model"]) }).nullable(),
  }),
  query: z.string(),
  mode: SearchMode,
  /** The query's vector, or hits of a remote store. */
  vector: z.custom<Float32Array>((value) => value instanceof Float32Array).optional(),
  hits: Hits.optional(),
  /** Only moves the vector towards the best keywords, for a remote store. */
  isFeedback: z.boolean().optional(),
  filters: z.object({
    category: z.string().optional(),
    type: z.enum(DOCUMENT_TYPES).optional(),
    /** Creation time in ms; the end is exclusive. */
    from: z.number().optional(),
    to: z.number().optional(),
    documentId: z.string().optional(),
  }),
  /** The project whose files are searched beside the documents of no project. */
  folderId: z.string().optional(),
  limit: z.number().int().min(1).max(100),
});
export type SearchTask = z.infer<typeof SearchTask>;

export interface RetrievedPassage {
  chunkId: number;
  documentId: string;
  /** Version number that the positions refer to. */
  version: number;
  title: string;
  category: string;
  type: (typeof DOCUMENT_TYPES)[number];
  source: string;
  /** Ms since the epoch. */
  createdAt: number;
  text: string;
  headings: string[];
  /** As in `chunks.language`. */
  language: string;
  page: number | null;
  start: number;
  end: number;
  /** Relative score, 0 to 1; 1 if first in every ranking. */
  score: number;
  /** Ranks start at 1; null if not found. */
  keyword: { rank: number } | null;
  vector: { rank: number; similarity: number } | null;
}

export interface RetrievedPassages {
  passages: RetrievedPassage[];
  remaining: number;
  /** The vector that `isFeedback` asked for. */
  moved?: Float32Array;
}

/** Not parsed: it comes from our own code. */
export const RetrievedPassages = z.custom<RetrievedPassages>(
  (value) =>
    typeof value === "object" && value !== null && "passages" in value && Array.isArray(value.passages),
);

/** The database connection of a search thread; its queries are in `*.queries.ts`. */
export interface Reader {
  hasVectors: boolean;
}
