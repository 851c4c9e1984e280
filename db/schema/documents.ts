import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  sqliteView,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { groupMembers, groups, orgId, users } from "./people";

// What a document is: the bytes that came, the text that was read out of them, and the work on both.

export const documentCategories = sqliteTable(
  "document_categories",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    position: integer("position").notNull(),
    /** Uncategorized: where documents go whose category is deleted. It keeps its name. */
    fixed: integer("fixed", { mode: "boolean" }).notNull().default(false),
    /** It was deleted: its documents are on their way to Uncategorized, and it goes when the last one has left. */
    leaving: integer("leaving", { mode: "boolean" }).notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("document_categories_name").on(table.orgId, table.name)],
);

export const documents = sqliteTable(
  "documents",
  {
    id: id(),
    orgId: orgId(),
    collection: text("collection").notNull().default("documents"),
    name: text("name").notNull(),
    type: text("type", { enum: ["text", "url", "file"] }).notNull(),
    /** The address it is read from, or the file's name; empty for a text. */
    source: text("source").notNull(),
    categoryId: text("category_id")
      .notNull()
      .references(() => documentCategories.id),
    /** Its place within the category, far from the next one's; equals by their creation date. */
    orderIndex: integer("order_index").notNull().default(0),
    /** Of the newest version; a document whose refresh failed still serves the version before. */
    status: text("status", { enum: ["processing", "ready", "failed"] }).notNull(),
    /** Why it failed, for a person. */
    error: text("error"),
    /** Seen by everyone, or by its creator and those in `document_readers` and `document_reader_groups`. */
    visibility: text("visibility", { enum: ["organisation", "named"] })
      .notNull()
      .default("organisation"),
    /** The version whose chunks are searched; null until the first one is ready. Switched in one step. */
    versionId: text("version_id").references((): AnySQLiteColumn => documentVersions.id, {
      onDelete: "set null",
    }),
    /** The beginning of its text, so that lists needn't read it. */
    excerpt: text("excerpt").notNull().default(""),
    /** Of the version that is searched, in the serving chunk set. */
    chunkCount: integer("chunk_count").notNull().default(0),
    /** Milliseconds between refreshes; null for never. */
    refreshEvery: integer("refresh_every"),
    refreshAt: integer("refresh_at"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** Set when it was deleted: from then on no one sees or finds it, and Undo brings it back until it is purged. */
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    index("documents_org").on(table.orgId, table.categoryId, table.orderIndex, table.createdAt),
    index("documents_source").on(table.orgId, table.type, table.source),
    index("documents_refresh").on(table.refreshAt),
    index("documents_deleted").on(table.deletedAt),
    // What is deleted looks for who refers to it: without these every row is read.
    index("documents_version").on(table.versionId),
    index("documents_category").on(table.categoryId),
    // What a person owns, when they leave.
    index("documents_creator").on(table.orgId, table.createdBy, table.visibility, table.deletedAt),
    // Counting what there is to see reads this index alone, those of named members too.
    index("documents_counts").on(
      table.orgId,
      table.visibility,
      table.deletedAt,
      table.categoryId,
      table.status,
      table.chunkCount,
      table.createdBy,
      table.id,
    ),
  ],
);

/** Who sees a document of named members, beside its creator. */
export const documentReaders = sqliteTable(
  "document_readers",
  {
    documentId: text("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.documentId, table.userId] }),
    index("document_readers_user").on(table.userId),
  ],
);

/** Groups whose members see a document of named members. */
export const documentReaderGroups = sqliteTable(
  "document_reader_groups",
  {
    documentId: text("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.documentId, table.groupId] }),
    index("document_reader_groups_group").on(table.groupId),
  ],
);

/**
 * Who sees which document, `*` for everyone: the one place of that rule, for repos and for the search threads alike.
 * Deleted documents have no viewers. Made by the migration "organisation".
 */
export const documentViewers = sqliteView("document_viewers", {
  documentId: text("document_id").notNull(),
  userId: text("user_id").notNull(),
}).existing();

/**
 * The one rule of who sees a document, as a condition: everyone's are seen by all, others by their creator and those
 * named, deleted ones by no one. Whether it is one of the organisation's is the asking query's to say.
 * @param documentId the column that names the document
 */
export function isSeenBy(userId: string, documentId: SQLWrapper): SQL<number> {
  return sql<number>`exists (select 1 from ${documentViewers} where ${documentViewers.documentId} = ${documentId}
    and ${documentViewers.userId} in ('*', ${userId}))`;
}

/**
 * The rule for documents of named members without their creator, as a condition that reads an index: shared with the
 * person, or with a group of theirs.
 *
 * @param documentId the column that names the document
 */
export function isSharedWith(userId: string | Placeholder, documentId: SQLWrapper): SQL {
  return sql`${documentId} in (
    select ${documentReaders.documentId} from ${documentReaders} where ${documentReaders.userId} = ${userId}
    union all
    select ${documentReaderGroups.documentId} from ${groupMembers}
      join ${documentReaderGroups} on ${documentReaderGroups.groupId} = ${groupMembers.groupId}
      where ${groupMembers.userId} = ${userId})`;
}

/** What a document was at one time: the bytes as they came, and what was read out of them. */
export const documentVersions = sqliteTable(
  "document_versions",
  {
    id: id(),
    documentId: text("document_id")
      .notNull()
      .references((): AnySQLiteColumn => documents.id, { onDelete: "cascade" }),
    /** From 1. */
    number: integer("number").notNull(),
    /**
     * `receiving` while its bytes come, `received` when all are stored, `read` when its text is, `served` when it is the
     * one that is searched, `replaced` when another one is; `failed` otherwise.
     */
    state: text("state", {
      enum: ["receiving", "received", "read", "served", "replaced", "failed"],
    }).notNull(),
    error: text("error"),
    /** SHA-256 of the bytes, in hex; null while they come. */
    sha256: text("sha256"),
    /** In bytes. */
    size: integer("size").notNull().default(0),
    fileName: text("file_name"),
    /** As declared, such as a Content-Type header. */
    contentType: text("content_type").notNull().default(""),
    /** Address after redirects. */
    finalUrl: text("final_url"),
    /** For asking whether the address has changed. */
    etag: text("etag"),
    lastModified: text("last_modified"),
    title: text("title"),
    /** SHA-256 of its text, in hex: the same text again needs no new chunks. */
    textHash: text("text_hash"),
    /** In characters. */
    textLength: integer("text_length"),
    /**
     * What the extraction reports beside the text: format, pages, author, language (knowledge/extraction/document.ts).
     */
    facts: text("facts", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    /** When it began to be searched. */
    servedAt: integer("served_at"),
  },
  (table) => [
    uniqueIndex("document_versions_number").on(table.documentId, table.number),
    index("document_versions_sha256").on(table.sha256),
    index("document_versions_state").on(table.state),
  ],
);

/** The bytes of a version as they came, in pieces small enough to be written between two requests. */
export const documentParts = sqliteTable(
  "document_parts",
  {
    versionId: text("version_id")
      .notNull()
      .references(() => documentVersions.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.position] })],
);

/** The text of a version with its structure, in pieces that end between two blocks. */
export const documentTexts = sqliteTable(
  "document_texts",
  {
    versionId: text("version_id")
      .notNull()
      .references(() => documentVersions.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    /** Where the piece begins in the whole text, in characters. */
    start: integer("start").notNull(),
    text: text("text").notNull(),
    /** Its blocks with places in the whole text, as JSON (knowledge/extraction/document.ts, Block). */
    blocks: text("blocks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.position] })],
);

/** Documents that came together: some files, a sitemap, a list of addresses. */
export const ingestBatches = sqliteTable(
  "ingest_batches",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id").notNull(),
    label: text("label").notNull(),
    createdAt: createdAt(),
    /** Whether its files came by upload: only to such a one further files are added. */
    upload: integer("upload", { mode: "boolean" }).notNull().default(false),
    cancelledAt: integer("cancelled_at"),
  },
  (table) => [
    index("ingest_batches_org").on(table.orgId, table.createdAt),
    index("ingest_batches_user").on(table.orgId, table.userId, table.createdAt),
    index("ingest_batches_created").on(table.createdAt),
  ],
);

/** What becomes of each document that is ingested, refreshed or removed. Its job has the same id in `jobs`. */
export const ingestJobs = sqliteTable(
  "ingest_jobs",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id").notNull(),
    batchId: text("batch_id").references(() => ingestBatches.id, { onDelete: "set null" }),
    documentId: text("document_id").references(() => documents.id, { onDelete: "cascade" }),
    versionId: text("version_id").references(() => documentVersions.id, { onDelete: "cascade" }),
    /** `ingest` reads a version, `refresh` asks an address again, `sitemap` finds addresses, `purge` removes for good. */
    kind: text("kind", { enum: ["ingest", "refresh", "sitemap", "purge"] }).notNull(),
    state: text("state", { enum: ["queued", "running", "done", "failed", "cancelled"] }).notNull(),
    step: text("step", { enum: ["fetching", "reading", "chunking", "embedding", "indexing"] }),
    /** Of the running step, in its own unit (pages, chunks). */
    done: integer("done").notNull().default(0),
    total: integer("total").notNull().default(0),
    attempts: integer("attempts").notNull().default(0),
    runAt: integer("run_at").notNull(),
    error: text("error"),
    /** What the kind needs to know (knowledge/ingestion). */
    input: text("input", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("ingest_jobs_document").on(table.documentId),
    index("ingest_jobs_batch").on(table.batchId),
    index("ingest_jobs_version").on(table.versionId),
    // What is to be forgotten.
    index("ingest_jobs_finished").on(table.finishedAt, table.id),
    // The newest of an organisation, for the screen.
    index("ingest_jobs_org").on(table.orgId, table.createdAt),
    // The batches of which something waits, runs or has failed. SQLite uses it for these very words alone.
    index("ingest_jobs_unsettled")
      .on(table.batchId)
      .where(sql`state in ('queued', 'running', 'failed') and batch_id is not null`),
  ],
);
