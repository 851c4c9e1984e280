import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import type { SearchResult } from "~/work/search/search.schema";
import type { DocumentChunk, DocumentDetail, DocumentVersion, Reader, TextPage } from "../documents.schema";

const DOCUMENT_TABS = ["text", "search", "chunks", "versions", "details"] as const;
const DOCUMENT_DIALOGS = ["rename", "access", "schedule", "encoding", "version", "delete"] as const;

export const DocumentScreenQuery = z.object({
  tab: z.enum(DOCUMENT_TABS).catch("text").default("text"),
  from: z.coerce.number().int().min(0).optional().catch(undefined),
  to: z.coerce.number().int().min(1).optional().catch(undefined),
  version: z.coerce.number().int().min(1).optional().catch(undefined),
  cursor: CursorParam,
  /** The question whose best matching sentences are highlighted. */
  about: z.string().trim().max(300).optional().catch(undefined),
  q: z.string().trim().max(2000).optional().catch(undefined),
  dialog: z.enum(DOCUMENT_DIALOGS).optional().catch(undefined),
});
export type DocumentScreenQuery = z.infer<typeof DocumentScreenQuery>;

export interface EncodingChoice {
  label: string;
  name: string;
  /** How the document's first line with other letters than English ones reads in it; empty if none is near the start. */
  example: string;
}

export type DocumentFinding = { results: SearchResult[]; notice: string | null } | { problem: string };

export interface DocumentScreenData {
  document: DocumentDetail;
  query: DocumentScreenQuery;
  text?: TextPage;
  quote?: { start: number; end: number };
  /** The page of a PDF that the passage is cited for. */
  citedPage?: number | undefined;
  lostVersion?: number;
  chunks?: DocumentChunk[];
  versions?: DocumentVersion[];
  finding?: DocumentFinding;
  next?: string;
  colleagues?: Reader[];
  present?: string;
  /** Name of the encoding of a text that isn't UTF-8. */
  encoding?: string;
  encodings?: EncodingChoice[];
  /** Whether it has pages that are pictures, and text recognition is available. */
  canRecognize: boolean;
}
