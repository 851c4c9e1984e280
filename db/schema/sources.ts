import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { documents } from "./documents";
import { orgId } from "./people";

/** A place whose files are kept as documents: a folder, a bucket, a repository, a WebDAV folder. */
export const sources = sqliteTable(
  "sources",
  {
    id: id(),
    orgId: orgId(),
    kind: text("kind", { enum: ["folder", "s3", "git", "webdav"] }).notNull(),
    name: text("name").notNull(),
    /** Where it lies, by its kind (SourceInput). */
    config: text("config", { mode: "json" }).notNull().$type<Record<string, string>>(),
    /** Reference of its password, token or secret key. */
    keyId: text("key_id"),
    /** Of new documents; Uncategorized once it is deleted. */
    categoryId: text("category_id").notNull(),
    visibility: text("visibility", { enum: ["organisation", "named"] }).notNull(),
    /** Members and groups beside its owner, if restricted. */
    readers: text("readers", { mode: "json" }).notNull().default([]).$type<string[]>(),
    /** In ms; null for never. */
    syncEvery: integer("sync_every"),
    nextAt: integer("next_at"),
    /** Days before the document of a removed file is deleted. */
    graceDays: integer("grace_days").notNull(),
    maxFiles: integer("max_files").notNull(),
    /** Of all files together. */
    maxMb: integer("max_mb").notNull(),
    /** State of the place at the last complete sync, if its kind has one: a Git commit. */
    cursor: text("cursor"),
    /** Its documents don't have its visibility yet. */
    isRetargeted: integer("is_retargeted", { mode: "boolean" }).notNull().default(false),
    /** How the last sync ended (SyncResult). */
    lastSync: text("last_sync", { mode: "json" }).$type<unknown>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("sources_org").on(table.orgId, table.name),
    index("sources_next").on(table.nextAt).where(sql`next_at is not null`),
  ],
);

/** A file of a source. Its path is compared as it is: names that differ by case or normalization are two files. */
export const sourceFiles = sqliteTable(
  "source_files",
  {
    sourceId: childOf("source_id", () => sources.id),
    path: text("path").notNull(),
    /** Of the content that its document has; null until it was received. */
    etag: text("etag"),
    /** In bytes; null if the place doesn't say. */
    size: integer("size"),
    link: text("link"),
    state: text("state", { enum: ["current", "skipped", "failed", "removed"] }).notNull(),
    /** Why it was skipped or failed. */
    reason: text("reason"),
    documentId: text("document_id").references(() => documents.id, { onDelete: "set null" }),
    /** When it was first missing; its document is deleted after the source's grace time. */
    missingSince: integer("missing_since"),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.path] }),
    index("source_files_changed").on(table.sourceId, table.changedAt, table.path),
    index("source_files_document").on(table.documentId).where(sql`document_id is not null`),
  ],
);
