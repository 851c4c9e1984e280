import { z } from "zod";
import { CursorParam } from "~/features/lists/cursor.schema";
import type {
  DocumentChunk,
  DocumentDetail,
  DocumentVersion,
  Reader,
  TextPage,
} from "../documents/document-view.schema";
import type { SearchResult } from "../search/search.schema";

const DOCUMENT_TABS = ["text", "search", "chunks", "versions", "details"] as const;
const DOCUMENT_DIALOGS = ["rename", "access", "schedule", "version", "delete"] as const;

/** A document's page: its tab, the passage that is marked, the page of a list, the version and the open dialog. */
export const DocumentScreenQuery = z.object({
  tab: z.enum(DOCUMENT_TABS).catch("text").default("text"),
  from: z.coerce.number().int().min(0).optional().catch(undefined),
  to: z.coerce.number().int().min(1).optional().catch(undefined),
  version: z.coerce.number().int().min(1).optional().catch(undefined),
  cursor: CursorParam,
  /** The question that a marked passage answers: the sentences that fit it best are marked strongly. */
  about: z.string().trim().max(300).optional().catch(undefined),
  q: z.string().trim().max(2000).optional().catch(undefined),
  dialog: z.enum(DOCUMENT_DIALOGS).optional().catch(undefined),
});
export type DocumentScreenQuery = z.infer<typeof DocumentScreenQuery>;

/** What a search of one document found, or why it couldn't be. */
export type DocumentFinding = { results: SearchResult[]; notice: string | null } | { problem: string };

/** What a document's page is given, and nothing that it doesn't show now. */
export interface DocumentScreenData {
  document: DocumentDetail;
  query: DocumentScreenQuery;
  text?: TextPage;
  quote?: { start: number; end: number };
  /** The version that was asked for and is no longer kept: the text is the present one. */
  lostVersion?: number;
  chunks?: DocumentChunk[];
  versions?: DocumentVersion[];
  finding?: DocumentFinding;
  next?: string;
  colleagues?: Reader[];
  /** For the dialog about a new version of a text: what it says now. */
  present?: string;
}
