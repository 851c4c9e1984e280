import { and, asc, count, desc, eq, gt, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedHas, preparedInsert } from "~/core/db.server";
import { chunks, documents, documentVersions } from "~db/schema";

type ChunkRow = typeof chunks.$inferSelect;

const insertRow = preparedInsert(chunks);
const slot = sql.placeholder;

export const hasChunkAt = preparedHas(chunks, "chunkSetId", "versionId", "position");

export function insertChunk(db: Db, row: Omit<ChunkRow, "id">): number {
  insertRow(db, row as typeof chunks.$inferInsert);
  return lastId(db).get()?.id ?? 0;
}

const lastId = prepared((db) =>
  db.select({ id: sql<number>`last_insert_rowid()` }).from(sql`(SELECT 1)`).prepare(),
);

const versionChunks = prepared((db) =>
  db
    .select({ chunks: count() })
    .from(chunks)
    .where(and(eq(chunks.chunkSetId, slot("set")), eq(chunks.versionId, slot("version"))))
    .prepare(),
);

export function countVersionChunks(db: Db, set: number, version: string): number {
  return versionChunks(db).get({ set, version })?.chunks ?? 0;
}

export function countSetChunks(db: Db, set: number): number {
  return db.select({ n: count() }).from(chunks).where(eq(chunks.chunkSetId, set)).get()?.n ?? 0;
}

export type ChunkKey = Pick<ChunkRow, "id" | "position" | "hash">;

const chunkKeys = prepared((db) =>
  db
    .select({ id: chunks.id, position: chunks.position, hash: chunks.hash })
    .from(chunks)
    .where(
      and(
        eq(chunks.chunkSetId, slot("set")),
        eq(chunks.versionId, slot("version")),
        gt(chunks.position, slot("after")),
      ),
    )
    .orderBy(asc(chunks.position))
    .limit(slot("limit"))
    .prepare(),
);

/** A page of a version's chunks by position. @param after -1 for the beginning */
export function listChunkKeys(
  db: Db,
  page: { set: number; version: string; after: number; limit: number },
): ChunkKey[] {
  return chunkKeys(db).all(page);
}

const textOf = prepared((db) =>
  db
    .select({
      text: chunks.text,
      headings: chunks.headings,
      name: documents.name,
      title: sql<string>`coalesce(${documentVersions.title}, ${documents.name})`,
    })
    .from(chunks)
    .innerJoin(documents, eq(documents.id, chunks.documentId))
    .innerJoin(documentVersions, eq(documentVersions.id, chunks.versionId))
    .where(eq(chunks.id, slot("id")))
    .prepare(),
);

export interface Titled {
  name: string;
  title: string;
}

export function findChunkText(
  db: Db,
  id: number,
): (Titled & { text: string; headings: string[] }) | undefined {
  return textOf(db).get({ id });
}

/** Chunks of a version in all sets, the first chunk last: its absence marks an incomplete set. */
export function listVersionChunks(db: Db, version: string, limit: number) {
  return db
    .select({ id: chunks.id, set: chunks.chunkSetId, hash: chunks.hash })
    .from(chunks)
    .where(eq(chunks.versionId, version))
    .orderBy(desc(chunks.id))
    .limit(limit)
    .all();
}

export function listSetChunks(db: Db, set: number, limit: number) {
  return db
    .select({ id: chunks.id, hash: chunks.hash })
    .from(chunks)
    .where(eq(chunks.chunkSetId, set))
    .limit(limit)
    .all();
}

export function listChunkIds(db: Db, after: number, limit: number): { id: number; set: number }[] {
  return db
    .select({ id: chunks.id, set: chunks.chunkSetId })
    .from(chunks)
    .where(gt(chunks.id, after))
    .orderBy(asc(chunks.id))
    .limit(limit)
    .all();
}

export const hasChunk = preparedHas(chunks, "id");
export const deleteChunk = preparedDelete(chunks, "id");

export const hasChunkWithHash = preparedHas(chunks, "hash");

export function listDocumentChunks(
  db: Db,
  document: string,
  after: number,
  limit: number,
): { id: number; set: number }[] {
  return db
    .select({ id: chunks.id, set: chunks.chunkSetId })
    .from(chunks)
    .where(and(eq(chunks.documentId, document), gt(chunks.id, after)))
    .orderBy(asc(chunks.id))
    .limit(limit)
    .all();
}

const SAMPLE = 2000;

/** Average tokens per chunk; 0 for an empty set. */
export function averageTokens(db: Db, set: number): number {
  const some = db
    .select({ tokens: chunks.tokens })
    .from(chunks)
    .where(eq(chunks.chunkSetId, set))
    .limit(SAMPLE)
    .as("some");
  const rows = db
    .select({ average: sql<number | null>`avg(${some.tokens})` })
    .from(some)
    .get();
  return rows?.average ?? 0;
}

/** In the order of the text. @param after the position of the last one of the previous page */
export function listChunkRows(tx: Db, chunkSetId: number, versionId: string, limit: number, after?: number) {
  const { position, text, headings, page, tokens, start, end } = chunks;
  return tx
    .select({ position, text, headings, page, tokens, start, end })
    .from(chunks)
    .where(
      and(
        eq(chunks.chunkSetId, chunkSetId),
        eq(chunks.versionId, versionId),
        after === undefined ? undefined : gt(chunks.position, after),
      ),
    )
    .orderBy(asc(chunks.position))
    .limit(limit)
    .all();
}
