import { z } from "zod";
import { Facts } from "~/work/extraction/facts.schema";
import { Document } from "./documents.schema";

const VERSION_STATES = ["receiving", "received", "read", "served", "replaced", "failed"] as const;

export const DocumentVersion = z.object({
  id: z.string(),
  number: z.number().int().describe("From 1"),
  state: z.enum(VERSION_STATES),
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

const Person = z.object({ id: z.string(), name: z.string() });

const Reader = Person.extend({ kind: z.enum(["member", "group"]) });
export type Reader = z.infer<typeof Reader>;

export const DocumentDetail = Document.extend({
  version: DocumentVersion.nullable(),
  createdBy: Person,
  readers: z
    .array(Reader)
    .nullable()
    .describe("Specific people and groups; null without permission to change them"),
  refreshEvery: z.number().int().nullable().describe("Milliseconds between refreshes"),
  refreshAt: z.iso.datetime().nullable().describe("Next scheduled refresh"),
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

/** Positions refer to the whole text. */
export const TextBlock = z.object({
  kind: z.enum(["heading", "paragraph", "list", "table", "code", "quote"]),
  level: z.number().int().optional().describe("Of a heading, from 1 to 6"),
  start: z.number().int(),
  end: z.number().int(),
  page: z.number().int().optional(),
  header: z.boolean().optional().describe("Whether a table's first row is a header"),
  continued: z.boolean().optional().describe("Continues from the previous page"),
});
export type TextBlock = z.infer<typeof TextBlock>;

export const TextPage = z.object({
  start: z.number().int().describe("Position of the page in the text, in characters"),
  end: z.number().int(),
  length: z.number().int().describe("Characters of the whole text"),
  text: z.string(),
  blocks: z.array(TextBlock),
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
