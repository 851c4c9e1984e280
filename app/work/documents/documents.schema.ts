import { z } from "zod";
import { DOCUMENT_TYPES } from "~/platform/catalogue/documents";
import { nameField } from "~/platform/catalogue/fields.schema";

const DOCUMENT_STATUSES = ["ready", "processing", "failed"] as const;
export const DocumentStatus = z.enum(DOCUMENT_STATUSES);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

export const Visibility = z.enum(["organisation", "named"]);
export type Visibility = z.infer<typeof Visibility>;

export const INGEST_STEPS = ["fetching", "reading", "chunking", "embedding", "indexing"] as const;

export const DocumentProgress = z.object({
  state: z.enum(["queued", "running"]),
  step: z.enum(INGEST_STEPS).nullable(),
  done: z.number().int(),
  total: z.number().int().describe("0 while unknown"),
});
export type DocumentProgress = z.infer<typeof DocumentProgress>;

export const Document = z.object({
  id: z.string(),
  name: z.string(),
  content: z.string().describe("The beginning of its text; get the document for the full text"),
  status: DocumentStatus,
  error: z.string().nullable().describe("Why it failed"),
  canRetry: z.boolean().describe("Whether it failed and can be retried"),
  mayManage: z.boolean().describe("Whether you can delete it and change its visibility and refresh schedule"),
  chunks: z.number().int(),
  visibility: Visibility,
  progress: DocumentProgress.nullable(),
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

const CategoryName = nameField("Category name is required", 60);

export const CategoryInput = z.object({ name: CategoryName });

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
