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
import { createdAt, id, updatedAt } from "./columns";
import { documents, documentVersions } from "./documents";
import { orgId } from "./people";

// What is searched of documents, from their chunks to their vectors, and how well it is found. The search indexes
// themselves (a table of FTS5 per chunk set, one of vec0 per index) are derived from these rows and made at run time.

/** One way of cutting documents into chunks. Its keyword index is the FTS5 table `terms_<id>`. */
export const chunkSets = sqliteTable(
  "chunk_sets",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    /** What the chunks depend on: target and overlap in tokens, and the chunker's own version. */
    key: text("key").notNull(),
    /** What the words of its keyword index are made of, by the console's own count; 0 before there was one. */
    wordsForm: integer("words_form").notNull().default(0),
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
    /** From 0 within the version. */
    position: integer("position").notNull(),
    text: text("text").notNull(),
    /** The headings it is under, outermost first. */
    headings: text("headings", { mode: "json" }).notNull().$type<string[]>(),
    /** Its place in the version's whole text, in characters, the end not included. */
    start: integer("start").notNull(),
    end: integer("end").notNull(),
    /** From 1; null where the format has no pages. */
    page: integer("page"),
    tokens: integer("tokens").notNull(),
    /** Of what is embedded (title, headings and text): equal ones share a vector. */
    hash: text("hash").notNull(),
  },
  (table) => [
    uniqueIndex("chunks_position").on(table.chunkSetId, table.versionId, table.position),
    index("chunks_document").on(table.documentId),
    index("chunks_version").on(table.versionId),
    index("chunks_hash").on(table.hash),
  ],
);

/** One way of making vectors: vectors of different spaces can't be compared. */
export const embeddingSpaces = sqliteTable(
  "embedding_spaces",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    /** The embedder, its model and version: what an embedder has to be asked with. */
    key: text("key").notNull(),
    /** `lexical` is the built-in one. */
    kind: text("kind", { enum: ["lexical", "model"] }).notNull(),
    /** The model's id, for a person and for the call. */
    model: text("model").notNull(),
    dimensions: integer("dimensions").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("embedding_spaces_key").on(table.orgId, table.key)],
);

/** The vectors, float32 little-endian of length 1, one for each content and space: the truth of every index. */
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

/** One searchable state of a collection: a chunk set, a space and the store its vectors are searched in. */
export const searchIndexes = sqliteTable(
  "search_indexes",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    collection: text("collection").notNull().default("documents"),
    chunkSetId: integer("chunk_set_id")
      .notNull()
      .references(() => chunkSets.id),
    /** Null for keywords only. */
    spaceId: integer("space_id").references(() => embeddingSpaces.id),
    /** Where its vectors are searched: `sqlite` or `qdrant`; `none` for keywords only. */
    store: text("store").notNull(),
    /**
     * `building` beside the one that serves, `ready` when it is complete and waits for a person to switch, `serving` (one
     * per collection), `retired` until its rows are removed, `cancelled` and `failed` as it says.
     */
    state: text("state", {
      enum: ["building", "ready", "serving", "retired", "cancelled", "failed"],
    }).notNull(),
    /** Whether a person switches to it, having compared, instead of the builder. */
    held: integer("held", { mode: "boolean" }).notNull().default(false),
    /** Chunks in it, and chunks there are. */
    done: integer("done").notNull().default(0),
    total: integer("total").notNull().default(0),
    error: text("error"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    /** When it began to serve. */
    servedAt: integer("served_at"),
  },
  (table) => [index("search_indexes_org").on(table.orgId, table.collection, table.state)],
);

/** Which chunks' vectors stand in which index: what a store is checked against. */
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

/** A question with the passages a good search finds. */
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
    questionId: text("question_id")
      .notNull()
      .references(() => retrievalQuestions.id, { onDelete: "cascade" }),
    documentId: text("document_id")
      .notNull()
      .references(() => documents.id, { onDelete: "cascade" }),
    /** The passage's own words: found again in every version and however it is cut into chunks. */
    quote: text("quote").notNull(),
  },
  (table) => [
    index("retrieval_passages_question").on(table.questionId),
    index("retrieval_passages_document").on(table.documentId),
  ],
);

/** One run of all questions against one setting. */
export const retrievalRuns = sqliteTable(
  "retrieval_runs",
  {
    id: id(),
    orgId: orgId(),
    indexId: integer("index_id"),
    /** What was compared: embedder, chunking, store, mode (knowledge/retrieval-check.schema). */
    setting: text("setting", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    hitRate: real("hit_rate").notNull(),
    mrr: real("mrr").notNull(),
    ndcg: real("ndcg").notNull(),
    /** What each question found, and where. */
    results: text("results", { mode: "json" }).notNull().$type<unknown[]>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("retrieval_runs_org").on(table.orgId, table.createdAt)],
);

/**
 * What the palette finds by FTS5: the rowids of `find_names` (trigrams of conversations' titles and documents' names) and
 * of `find_texts` (words of messages; those of a model are of the kind `answer`, as they stand when it is complete). Triggers keep the three in step with what they are made from.
 */
export const findEntries = sqliteTable(
  "find_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    kind: text("kind", { enum: ["conversation", "document", "message", "answer"] }).notNull(),
    source: text("source").notNull(),
    /** The conversation or document that is opened. */
    subject: text("subject").notNull(),
  },
  (table) => [uniqueIndex("find_entries_source").on(table.kind, table.source)],
);

/** What an FTS5 index finds among the entries of one kind, for `in`. */
export const subjectsOf = (
  kind: (typeof findEntries.$inferSelect)["kind"],
  index: "find_names" | "find_texts",
  query: string,
) => sql`(select e.subject from ${sql.identifier(index)} f join ${findEntries} e on e.id = f.rowid
  where ${sql.identifier(index)} match ${query} and e.kind = ${kind})`;
