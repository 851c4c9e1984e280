import { z } from "zod";
import { DOCUMENT_TYPES } from "~/platform/catalogue/documents";
import { nameField } from "~/platform/catalogue/fields.schema";
import { Block, Facts } from "~/work/extraction/document.schema";

export const DocumentStatus = z.enum(["ready", "processing", "failed"]);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

/** Orders of the list beside the team's own. */
export const DocumentSort = z.enum(["name", "newest", "changed"]);
export type DocumentSort = z.infer<typeof DocumentSort>;

export const Visibility = z.enum(["organisation", "named"]);
export type Visibility = z.infer<typeof Visibility>;

export const INGEST_STEPS = [
  "fetching",
  "reading",
  "recognizing",
  "chunking",
  "embedding",
  "indexing",
] as const;

export const DocumentProgress = z.object({
  state: z.enum(["queued", "running"]),
  step: z.enum(INGEST_STEPS).nullable(),
  done: z.number().int(),
  total: z.number().int().describe("0 while unknown"),
});
export type DocumentProgress = z.infer<typeof DocumentProgress>;

const Named = z.object({ id: z.string(), name: z.string() });

export const SameName = Named.nullable().describe(
  "Older document from a file of the same name, until you decide whether this is its new version",
);
export type SameName = z.infer<typeof SameName>;

export const Document = z.object({
  id: z.string(),
  name: z.string(),
  content: z.string().describe("The beginning of its text; get the document for the full text"),
  status: DocumentStatus,
  error: z.string().nullable().describe("Why it failed"),
  canRetry: z.boolean().describe("Whether it failed and can be retried"),
  mayManage: z.boolean().describe("Whether you can delete it and change its visibility and refresh schedule"),
  chunks: z.number().int(),
  size: z.number().int().nullable().describe("Bytes of the current version; null without one"),
  notes: z.array(z.string()).describe("What reading the current version left out, and other remarks"),
  visibility: Visibility,
  progress: DocumentProgress.nullable(),
  sameNameAs: SameName,
  createdAt: z.string(),
  updatedAt: z.string(),
  metadata: z.object({
    category: z.string(),
    orderIndex: z.number().int(),
    type: z.enum(DOCUMENT_TYPES),
    source: z.string().describe("URL or file name; empty for pasted text"),
  }),
});
export type Document = z.infer<typeof Document>;

export const DocumentCategory = z.object({
  id: z.string(),
  name: z.string(),
  fixed: z.boolean().describe("Uncategorized can't be renamed or deleted"),
  documents: z.number().int(),
});
export type DocumentCategory = z.infer<typeof DocumentCategory>;

export const CategoryInput = z.object({ name: nameField("Category name is required", 60) });

export const CollectionStats = z.object({
  total: z.number().int(),
  ready: z.number().int(),
  processing: z.number().int(),
  failed: z.number().int(),
  chunks: z.number().int(),
  retryable: z.number().int().describe("Failed documents that can be retried"),
});
export type CollectionStats = z.infer<typeof CollectionStats>;

export const Ingesting = z.object({
  id: z.string(),
  title: z.string(),
  status: DocumentStatus,
  duplicate: z.literal(true).optional(),
});
export type Ingesting = z.infer<typeof Ingesting>;

export const DocumentVersion = z.object({
  id: z.string(),
  number: z.number().int().describe("From 1"),
  state: z.enum(["receiving", "received", "read", "served", "replaced", "failed"]),
  error: z.string().nullable().describe("Why it failed"),
  size: z.number().int().describe("In bytes"),
  sha256: z.string().nullable().describe("Of the bytes, in hex; null during the upload"),
  fileName: z.string().nullable(),
  contentType: z.string(),
  finalUrl: z.string().nullable().describe("Address after redirects"),
  title: z.string().nullable(),
  textLength: z.number().int().nullable().describe("In characters"),
  facts: Facts,
  createdAt: z.iso.datetime(),
  servedAt: z.iso.datetime().nullable().describe("When it became current"),
});
export type DocumentVersion = z.infer<typeof DocumentVersion>;

export const LastRefresh = z.object({
  at: z.iso.datetime(),
  outcome: z.enum(["added", "changed", "unchanged", "failed", "cancelled"]),
  error: z.string().nullable().describe("Why it failed"),
});
export type LastRefresh = z.infer<typeof LastRefresh>;

const Reader = Named.extend({ kind: z.enum(["member", "group"]) });
export type Reader = z.infer<typeof Reader>;

export const DocumentDetail = Document.extend({
  version: DocumentVersion.nullable(),
  createdBy: Named,
  readers: z
    .array(Reader)
    .nullable()
    .describe("Specific people and groups; null without permission to change them"),
  refreshEvery: z.number().int().nullable().describe("Milliseconds between refreshes"),
  refreshAt: z.iso.datetime().nullable().describe("Next scheduled refresh"),
  parent: Named.nullable().describe("The message or archive that it came in"),
  origin: z
    .object({ id: z.string(), name: z.string(), path: z.string(), link: z.string().nullable() })
    .nullable()
    .describe("The document source whose file it follows, and where a person can open the file"),
  attachments: z.array(Named).describe("Up to 200 documents that came in it"),
  lastRefresh: LastRefresh.nullable().describe("Result of the last refresh; null if unknown"),
});
export type DocumentDetail = z.infer<typeof DocumentDetail>;

export const DeletedDocument = z.object({
  id: z.string(),
  name: z.string(),
  deletedAt: z.iso.datetime(),
  restorableUntil: z.iso.datetime(),
});
export type DeletedDocument = z.infer<typeof DeletedDocument>;

export const TextPage = z.object({
  start: z.number().int().describe("Position of the page in the text, in characters"),
  end: z.number().int(),
  length: z.number().int().describe("Characters of the whole text"),
  text: z.string(),
  blocks: z.array(Block),
  previous: z.number().int().nullable().describe("Position of the previous page"),
  next: z.number().int().nullable().describe("Position of the next page"),
});
export type TextPage = z.infer<typeof TextPage>;

export const DocumentChunk = z.object({
  position: z.number().int(),
  text: z.string(),
  headings: z.array(z.string()),
  page: z.number().int().nullable(),
  tokens: z.number().int(),
  start: z.number().int().describe("Position in the document's text, in characters"),
  end: z.number().int(),
});
export type DocumentChunk = z.infer<typeof DocumentChunk>;
