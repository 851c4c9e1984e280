import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { documents, documentVersions } from "./documents";
import { orgId } from "./people";

// Chunks, embeddings and search indexes. The FTS5 and vec0 tables are derived and created at run time.

/** A chunking configuration. Its keyword index is the FTS5 table `terms_<id>`. */
export const chunkSets = sqliteTable(
  "chunk_sets",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    /** Target and overlap in tokens, and the chunker's version. */
    key: text("key").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("chunk_sets_key").on(table.orgId, table.key)],
);

export const chunks = sqliteTable(
  "chunks",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    chunkSetId: integer("chunk_set_id")
      .notNull()
      .references(() => chunkSets.id),
    documentId: text("document_id")
      .notNull()
      .references(() => documents.id),
    versionId: text("version_id")
      .notNull()
      .references(() => documentVersions.id),
    position: integer("position").notNull(),
    text: text("text").notNull(),
    headings: text("headings", { mode: "json" }).notNull().$type<string[]>(),
    /** Character range in the version's text; the end is exclusive. */
    start: integer("start").notNull(),
    end: integer("end").notNull(),
    page: integer("page"),
    tokens: integer("tokens").notNull(),
    /** Of title, headings and text: equal ones share a vector. */
    hash: text("hash").notNull(),
    /** ISO 639-1 code; empty for a text of no known language. */
    language: text("language").notNull().default(""),
  },
  (table) => [
    uniqueIndex("chunks_position").on(table.chunkSetId, table.versionId, table.position),
    index("chunks_document").on(table.documentId),
    index("chunks_version").on(table.versionId),
    index("chunks_hash").on(table.hash),
  ],
);

export const embeddingSpaces = sqliteTable(
  "embedding_spaces",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    key: text("key").notNull(),
    /** `lexical` is the built-in embedder. */
    kind: text("kind", { enum: ["lexical", "model"] }).notNull(),
    model: text("model").notNull(),
    dimensions: integer("dimensions").notNull(),
    /** Tokens of a text that the model reads; null without a known limit. */
    maxTokens: integer("max_tokens"),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("embedding_spaces_key").on(table.orgId, table.key)],
);

export const embeddings = sqliteTable(
  "embeddings",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    spaceId: integer("space_id")
      .notNull()
      .references(() => embeddingSpaces.id, { onDelete: "cascade" }),
    hash: text("hash").notNull(),
    vector: blob("vector", { mode: "buffer" }).notNull(),
  },
  (table) => [uniqueIndex("embeddings_content").on(table.spaceId, table.hash)],
);

/** An index generation: a chunk set, an embedding space and a vector store. */
export const searchIndexes = sqliteTable(
  "search_indexes",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    collection: text("collection").notNull().default("documents"),
    chunkSetId: integer("chunk_set_id")
      .notNull()
      .references(() => chunkSets.id),
    spaceId: integer("space_id").references(() => embeddingSpaces.id),
    /** `sqlite`, `qdrant`, or `none` for keywords only. */
    store: text("store").notNull(),
    /**
     * `building`; `serving` is active (one per collection); `retired` until its rows are removed.
     */
    state: text("state", {
      enum: ["building", "serving", "retired", "cancelled", "failed"],
    }).notNull(),
    done: integer("done").notNull().default(0),
    total: integer("total").notNull().default(0),
    error: text("error"),
    /** A server has lost its vectors: keywords answer until they are there again. */
    isLost: integer("is_lost", { mode: "boolean" }).notNull().default(false),
    /** The server's `hnsw_ef`; null searches exactly. */
    searchEf: integer("search_ef"),
    /** Share of the ten nearest that such a search finds, 0 to 1; null while not measured. */
    recall: real("recall"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    servedAt: integer("served_at"),
  },
  (table) => [index("search_indexes_org").on(table.orgId, table.collection, table.state)],
);

/** Chunks in each index, to verify the vector store. */
export const indexEntries = sqliteTable(
  "index_entries",
  {
    indexId: integer("index_id")
      .notNull()
      .references(() => searchIndexes.id, { onDelete: "cascade" }),
    chunkId: integer("chunk_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.chunkId] })],
);

export const retrievalQuestions = sqliteTable(
  "retrieval_questions",
  {
    id: id(),
    orgId: orgId(),
    question: text("question").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("retrieval_questions_org").on(table.orgId, table.createdAt)],
);

export const retrievalPassages = sqliteTable(
  "retrieval_passages",
  {
    id: id(),
    questionId: childOf("question_id", () => retrievalQuestions.id),
    documentId: childOf("document_id", () => documents.id),
    /** A quote, so that it is found in every version and chunking. */
    quote: text("quote").notNull(),
  },
  (table) => [
    index("retrieval_passages_question").on(table.questionId),
    index("retrieval_passages_document").on(table.documentId),
  ],
);

export const retrievalRuns = sqliteTable(
  "retrieval_runs",
  {
    id: id(),
    orgId: orgId(),
    indexId: integer("index_id"),
    /** Embedder, chunking, store and mode (app/work/search/evaluation/retrieval-check.schema.ts). */
    setting: text("setting", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    hitRate: real("hit_rate").notNull(),
    mrr: real("mrr").notNull(),
    ndcg: real("ndcg").notNull(),
    results: text("results", { mode: "json" }).notNull().$type<unknown[]>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("retrieval_runs_org").on(table.orgId, table.createdAt)],
);

/**
 * Entries of the FTS5 tables `find_names` and `find_texts`, which the command palette and the search of conversations
 * look into. Triggers keep them in sync, by functions of `app/core/sqlite-extensions.server.ts`.
 */
export const findEntries = sqliteTable(
  "find_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    kind: text("kind", { enum: ["conversation", "document", "message", "answer"] }).notNull(),
    source: text("source").notNull(),
    subject: text("subject").notNull(),
    /** How its text was analyzed: 1 as it is written, 2 folded (`app/core/language/find-terms.ts`). */
    version: integer("version").notNull().default(1),
  },
  (table) => [
    uniqueIndex("find_entries_source").on(table.kind, table.source),
    index("find_entries_outdated").on(table.id).where(sql`version < 2`),
  ],
);

/** Subjects that match an FTS5 query, for `in`. */
export const subjectsOf = (
  kind: (typeof findEntries.$inferSelect)["kind"],
  index: "find_names" | "find_texts",
  query: string,
) => sql`(select e.subject from ${sql.identifier(index)} f join ${findEntries} e on e.id = f.rowid
  where ${sql.identifier(index)} match ${query} and e.kind = ${kind})`;
