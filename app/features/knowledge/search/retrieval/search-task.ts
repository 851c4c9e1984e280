import { z } from "zod";
import { DOCUMENT_TYPES } from "../../documents/documents.schema";

const SEARCH_MODES = ["keywords", "vectors", "hybrid"] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** Vectors' nearest chunks as another store found them, best first. */
const Hits = z.array(z.object({ chunkId: z.number().int(), similarity: z.number() }));

/** Message to a search thread, which reads the database itself. */
export const SearchTask = z.object({
  /** The database's file. */
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
  mode: z.enum(SEARCH_MODES),
  /** The query's vector, of length 1, to be looked for in this file; or what another store found for it. */
  vector: z.custom<Float32Array>((value) => value instanceof Float32Array).optional(),
  hits: Hits.optional(),
  filters: z.object({
    category: z.string().optional(),
    type: z.enum(DOCUMENT_TYPES).optional(),
    /** By the document's creation, in milliseconds; the end not included. */
    from: z.number().optional(),
    to: z.number().optional(),
    documentId: z.string().optional(),
  }),
  /** Passages wanted. */
  limit: z.number().int().min(1).max(100),
});
export type SearchTask = z.infer<typeof SearchTask>;

/** A passage as it was found: a chunk, or several of one document that lie side by side. */
export interface FoundPassage {
  /** The chunk that was found best. */
  chunkId: number;
  documentId: string;
  /** The number of the document's version that is quoted: its places are those of that version's text. */
  version: number;
  title: string;
  category: string;
  type: (typeof DOCUMENT_TYPES)[number];
  source: string;
  /** Of the document, in milliseconds. */
  createdAt: number;
  text: string;
  headings: string[];
  page: number | null;
  start: number;
  end: number;
  /** 0 to 1: what of the best possible it has, that is being first in every part. */
  score: number;
  /** Ranks count from 1; null where that part didn't find it. */
  keyword: { rank: number } | null;
  vector: { rank: number; similarity: number } | null;
}

export interface FoundPassages {
  passages: FoundPassage[];
  /** How many of another store's hits may be found: what was replaced, deleted or filtered away isn't among them. */
  remaining: number;
}

/** Checked at the surface only: it comes from our own code. */
export const FoundPassages = z.custom<FoundPassages>(
  (value) =>
    typeof value === "object" && value !== null && "passages" in value && Array.isArray(value.passages),
);
