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
import { conversationFolderMembers, conversationFolders } from "./chat";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { groupMembers, groups, orgId, users } from "./people";

export const documentCategories = sqliteTable(
  "document_categories",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    position: integer("position").notNull(),
    fixed: integer("fixed", { mode: "boolean" }).notNull().default(false),
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
    /** A URL or file name; empty for a text. */
    source: text("source").notNull(),
    categoryId: text("category_id")
      .notNull()
      .references(() => documentCategories.id),
    /** Sparse position within the category; equals are ordered by creation date. */
    orderIndex: integer("order_index").notNull().default(0),
    /** Of the newest version; if a refresh fails, the previous version stays active. */
    status: text("status", { enum: ["processing", "ready", "failed"] }).notNull(),
    error: text("error"),
    visibility: text("visibility", { enum: ["organisation", "named"] })
      .notNull()
      .default("organisation"),
    /** The version that is searched; null until the first one is ready. */
    versionId: text("version_id").references((): AnySQLiteColumn => documentVersions.id, {
      onDelete: "set null",
    }),
    excerpt: text("excerpt").notNull().default(""),
    chunkCount: integer("chunk_count").notNull().default(0),
    /** In ms; null for never. */
    refreshEvery: integer("refresh_every"),
    refreshAt: integer("refresh_at"),
    /** The upload, list of addresses or sitemap with which it was last added. */
    batchId: text("batch_id"),
    /** The message or archive that it came in, whose path begins its source. */
    parentId: text("parent_id").references((): AnySQLiteColumn => documents.id, { onDelete: "set null" }),
    /** An older document from a file of the same name, until it is decided whether this is its new version. */
    sameNameAs: text("same_name_as").references((): AnySQLiteColumn => documents.id, {
      onDelete: "set null",
    }),
    lastJob: text("last_job", { mode: "json" }).$type<unknown>(),
    /** The project whose file it is: `named`, visible to that one's people, and found in its conversations alone. */
    folderId: text("folder_id").references((): AnySQLiteColumn => conversationFolders.id, {
      onDelete: "set null",
    }),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    /** When it was deleted: hidden at once; Undo restores it until it is purged. */
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    index("documents_org").on(table.orgId, table.categoryId, table.orderIndex, table.createdAt),
    index("documents_source").on(table.orgId, table.type, table.source),
    index("documents_refresh").on(table.refreshAt),
    index("documents_deleted").on(table.deletedAt),
    index("documents_batch").on(table.batchId).where(sql`batch_id is not null`),
    // Foreign-key checks on deletion need these.
    index("documents_version").on(table.versionId),
    index("documents_category").on(table.categoryId),
    index("documents_parent").on(table.parentId).where(sql`parent_id is not null`),
    index("documents_same_name").on(table.sameNameAs).where(sql`same_name_as is not null`),
    index("documents_folder").on(table.folderId).where(sql`folder_id is not null`),
    index("documents_creator").on(table.orgId, table.createdBy, table.visibility, table.deletedAt),
    // Covers the counts of visible documents.
    index("documents_counts").on(
      table.orgId,
      table.visibility,
      table.deletedAt,
      table.categoryId,
      table.status,
      table.chunkCount,
      table.createdBy,
      table.folderId,
      table.id,
    ),
  ],
);

export const documentReaders = sqliteTable(
  "document_readers",
  {
    documentId: childOf("document_id", () => documents.id),
    userId: childOf("user_id", () => users.id),
  },
  (table) => [
    primaryKey({ columns: [table.documentId, table.userId] }),
    index("document_readers_user").on(table.userId),
  ],
);

export const documentReaderGroups = sqliteTable(
  "document_reader_groups",
  {
    documentId: childOf("document_id", () => documents.id),
    groupId: childOf("group_id", () => groups.id),
  },
  (table) => [
    primaryKey({ columns: [table.documentId, table.groupId] }),
    index("document_reader_groups_group").on(table.groupId),
  ],
);

/**
 * Visible documents per user, `*` for everyone: the rule for repos and search threads. Excludes deleted
 * documents.
 */
export const documentViewers = sqliteView("document_viewers", {
  documentId: text("document_id").notNull(),
  userId: text("user_id").notNull(),
}).existing();

/**
 * Whether a user can view a document, as a condition. The query must filter by organization.
 * @param documentId the column that names the document
 */
export function isVisibleTo(userId: string | Placeholder, documentId: SQLWrapper): SQL<number> {
  return sql<number>`exists (select 1 from ${documentViewers} where ${documentViewers.documentId} = ${documentId}
    and ${documentViewers.userId} in ('*', ${userId}))`;
}

/**
 * Whether a document is shared with the user, one of their groups, or a project of theirs, as a condition that uses an
 * index.
 * @param documentId the column that names the document
 */
export function isSharedWith(userId: string | Placeholder, documentId: SQLWrapper): SQL {
  return sql`${documentId} in (
    select ${documentReaders.documentId} from ${documentReaders} where ${documentReaders.userId} = ${userId}
    union all
    select ${documentReaderGroups.documentId} from ${groupMembers}
      join ${documentReaderGroups} on ${documentReaderGroups.groupId} = ${groupMembers.groupId}
      where ${groupMembers.userId} = ${userId}
    union all
    select d.id from ${conversationFolders} f join documents d on d.folder_id = f.id where f.user_id = ${userId}
    union all
    select d.id from ${conversationFolderMembers} m join documents d on d.folder_id = m.folder_id
      where m.user_id = ${userId})`;
}

export const documentVersions = sqliteTable(
  "document_versions",
  {
    id: id(),
    documentId: text("document_id")
      .notNull()
      .references((): AnySQLiteColumn => documents.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    /**
     * `receiving` bytes, `received`, `read` (text extracted), `served` (searched), then `replaced`; or
     * `failed`.
     */
    state: text("state", {
      enum: ["receiving", "received", "read", "served", "replaced", "failed"],
    }).notNull(),
    error: text("error"),
    /** In hex; null during the upload. */
    sha256: text("sha256"),
    /** In bytes. */
    size: integer("size").notNull().default(0),
    fileName: text("file_name"),
    contentType: text("content_type").notNull().default(""),
    /** What a person chose for a text that doesn't say its encoding; later versions take it over. */
    encoding: text("encoding"),
    finalUrl: text("final_url"),
    etag: text("etag"),
    lastModified: text("last_modified"),
    title: text("title"),
    /** SHA-256 of its text, in hex: an unchanged text keeps its chunks. */
    textHash: text("text_hash"),
    /** In characters. */
    textLength: integer("text_length"),
    /** Extraction metadata: format, pages, author, language (app/work/extraction/document.schema.ts). */
    facts: text("facts", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    servedAt: integer("served_at"),
  },
  (table) => [
    uniqueIndex("document_versions_number").on(table.documentId, table.number),
    index("document_versions_sha256").on(table.sha256),
    index("document_versions_state").on(table.state),
  ],
);

export const documentParts = sqliteTable(
  "document_parts",
  {
    versionId: childOf("version_id", () => documentVersions.id),
    position: integer("position").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.position] })],
);

/** A version's text and structure, in parts that end between blocks. */
export const documentTexts = sqliteTable(
  "document_texts",
  {
    versionId: childOf("version_id", () => documentVersions.id),
    position: integer("position").notNull(),
    /** Offset in the whole text, in characters. */
    start: integer("start").notNull(),
    text: text("text").notNull(),
    /** Blocks with positions in the whole text, as JSON (app/work/extraction/document.schema.ts, Block). */
    blocks: text("blocks").notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.position] })],
);

/** Text of a version's pages that are pictures, kept page by page: recognition takes long. */
export const recognizedPages = sqliteTable(
  "recognized_pages",
  {
    versionId: childOf("version_id", () => documentVersions.id),
    /** From 1. */
    page: integer("page").notNull(),
    /** Null if it takes too much time or memory. */
    text: text("text"),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.page] })],
);
