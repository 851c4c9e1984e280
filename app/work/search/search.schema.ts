import { z } from "zod";
import { DOCUMENT_TYPES, DOCUMENTS_COLLECTION } from "~/platform/catalogue/documents";

const QUERY_REQUIRED = "Please enter a search query";

/** Omitted filters don't restrict. */
export const SearchFilters = z.object({
  category: z.string().trim().min(1).max(60),
  type: z.enum(DOCUMENT_TYPES),
  /** Creation date in the organization's time zone. */
  from: z.iso.date(),
  to: z.iso.date(),
  documentId: z.string().max(100),
});
export type SearchFilters = Partial<z.infer<typeof SearchFilters>>;

export const SearchInput = z.object({
  query: z.string().trim().min(1, QUERY_REQUIRED).max(2000, "Use at most 2000 characters in a query"),
  topK: z.coerce.number().int().min(1).max(50).default(5),
  collection: z.string().max(100).default(DOCUMENTS_COLLECTION),
  filters: SearchFilters.partial().default({}),
  folderId: z
    .string()
    .max(100)
    .optional()
    .describe(
      "One of your chat folders, whose files are searched too. Otherwise they are found only by documentId",
    ),
  rerank: z.boolean().default(true).describe("Whether to use the reranking model, if configured"),
});
export type SearchInput = z.infer<typeof SearchInput>;

/** Components of a score; ranks start at 1, null if unused. */
export const ScoreParts = z.object({
  keyword: z.object({ rank: z.number().int() }).nullable(),
  vector: z.object({ rank: z.number().int(), similarity: z.number().describe("Cosine, -1 to 1") }).nullable(),
  rerank: z.object({ rank: z.number().int(), score: z.number().describe("0 to 1") }).nullable(),
});
export type ScoreParts = z.infer<typeof ScoreParts>;

export const SearchResult = z.object({
  score: z.number().describe("0 to 1, from its rank and its share of the query; see scores for the parts"),
  content: z.string(),
  scores: ScoreParts,
  metadata: z.object({
    documentId: z.string(),
    version: z.number().int().describe("Version of the document, from 1; positions refer to it"),
    title: z.string(),
    category: z.string(),
    type: z.enum(DOCUMENT_TYPES),
    source: z.string(),
    headings: z.array(z.string()),
    page: z.number().int().nullable().describe("Of the sentence that answers, else the passage's first"),
    lastPage: z
      .number()
      .int()
      .optional()
      .describe("The passage's last page, if it isn't known which answers"),
    sheet: z.string().optional().describe("Name of the workbook's sheet, for a page of one"),
    start: z.number().int().describe("Position in the document's text, in characters"),
    end: z.number().int(),
    url: z.string().describe("Console page of the passage"),
    createdAt: z.string(),
  }),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const SearchAnswer = z.object({
  results: z.array(SearchResult),
  store: z.enum(["sqlite", "qdrant", "none"]).describe("Vector store of the search"),
  embedder: z.string().nullable().describe("Embedding model of the query; null for keywords only"),
  notice: z.string().nullable().describe("Why the search was limited, such as a failed embedder"),
  tookMs: z.number(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
