import { z } from "zod";
import { isTimeZone } from "~/features/settings/groups/time-zone.schema";
import { DOCUMENT_TYPES, DOCUMENTS_COLLECTION } from "./documents.schema";

const QUERY_REQUIRED = "Please enter a search query";

/** Which documents a search looks at; what is left out limits nothing. */
export const SearchFilters = z.strictObject({
  category: z.string().trim().min(1).max(60),
  type: z.enum(DOCUMENT_TYPES),
  /** By the document's creation. */
  from: z.iso.date(),
  to: z.iso.date(),
  timeZone: z
    .string()
    .max(60)
    .refine(isTimeZone, "Choose a time zone such as Europe/Berlin")
    .describe("Whose days from and to are, such as Europe/Berlin; UTC if left out"),
  documentId: z.string().max(100),
});
export type SearchFilters = Partial<z.infer<typeof SearchFilters>>;

export const SearchInput = z.strictObject({
  query: z.string().trim().min(1, QUERY_REQUIRED).max(2000, "Use at most 2000 characters in a query"),
  topK: z.coerce.number().int().min(1).max(50).default(5),
  collection: z.string().max(100).default(DOCUMENTS_COLLECTION),
  filters: SearchFilters.partial().default({}),
  rerank: z.boolean().default(true).describe("Whether the reranking model is asked, where one is set"),
});
export type SearchInput = z.infer<typeof SearchInput>;

/** Where a score came from; null where that part had no say. Ranks count from 1. */
export const ScoreParts = z.object({
  keyword: z.object({ rank: z.number().int() }).nullable(),
  vector: z.object({ rank: z.number().int(), similarity: z.number().describe("Cosine, -1 to 1") }).nullable(),
  rerank: z.object({ rank: z.number().int(), score: z.number().describe("0 to 1") }).nullable(),
});
export type ScoreParts = z.infer<typeof ScoreParts>;

export const SearchResult = z.object({
  score: z
    .number()
    .describe(
      "0 to 1 by its rank and by how much of the query it answers, the best first; see scores for its parts",
    ),
  content: z.string(),
  scores: ScoreParts,
  metadata: z.object({
    documentId: z.string(),
    version: z.number().int().describe("Of the document, from 1; what it becomes later has other places"),
    title: z.string(),
    category: z.string(),
    type: z.enum(DOCUMENT_TYPES),
    source: z.string(),
    headings: z.array(z.string()),
    page: z.number().int().nullable(),
    start: z.number().int().describe("Place in the document's text, in characters"),
    end: z.number().int(),
    url: z.string().describe("The console's page that shows the passage"),
    createdAt: z.string(),
  }),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const SearchAnswer = z.object({
  results: z.array(SearchResult),
  store: z.enum(["sqlite", "qdrant", "none"]).describe("Which store the vectors were searched in"),
  embedder: z.string().nullable().describe("What made the query's vector; null for keywords only"),
  notice: z.string().nullable().describe("Why less than all was searched, such as an embedder that failed"),
  tookMs: z.number(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;

/** A stretch of one version's text, in characters. */
interface PassagePlace {
  documentId: string;
  version: number;
  start: number;
  end: number;
}

/** The address of the page that shows a passage, also after its document has got another version. */
export function passageUrl({ documentId, version, start, end }: PassagePlace): string {
  return `/rag/${encodeURIComponent(documentId)}?from=${start}&to=${end}&version=${version}#passage`;
}
