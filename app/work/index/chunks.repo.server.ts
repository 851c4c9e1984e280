import { and, asc, count, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import {
  type Db,
  db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
} from "~/core/db.server";
import { chunkSets, chunks, documents, documentVersions, embeddingSpaces, embeddings } from "~db/schema";
import type { Chunk } from "./chunking/chunk";

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

export function listSetLanguages(db: Db, set: number): string[] {
  const rows = db
    .selectDistinct({ language: chunks.language })
    .from(chunks)
    .where(eq(chunks.chunkSetId, set));
  return rows.all().map(({ language }) => language);
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
      language: chunks.language,
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
): (Titled & { text: string; headings: string[]; language: string }) | undefined {
  return textOf(db).get({ id });
}

/** Chunks of a version in all sets, the first chunk last: its absence marks an incomplete set. */
export function listVersionChunks(db: Db, version: string, limit: number) {
  return db
    .select({ id: chunks.id, set: chunks.chunkSetId, hash: chunks.hash, language: chunks.language })
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

/** A page of chunks by id, of all documents unless one is named. */
export function listChunkIds(
  db: Db,
  { after, limit, document }: { after: number; limit: number; document?: string },
): { id: number; set: number }[] {
  return db
    .select({ id: chunks.id, set: chunks.chunkSetId })
    .from(chunks)
    .where(and(document === undefined ? undefined : eq(chunks.documentId, document), gt(chunks.id, after)))
    .orderBy(asc(chunks.id))
    .limit(limit)
    .all();
}

export const hasChunk = preparedHas(chunks, "id");
export const deleteChunk = preparedDelete(chunks, "id");

export const hasChunkWithHash = preparedHas(chunks, "hash");

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

const chunksBefore = prepared((db) =>
  db
    .select({
      position: chunks.position,
      text: chunks.text,
      headings: chunks.headings,
      start: chunks.start,
      end: chunks.end,
      page: chunks.page,
      tokens: chunks.tokens,
      hash: chunks.hash,
      language: chunks.language,
    })
    .from(chunks)
    .where(
      and(
        eq(chunks.chunkSetId, slot("set")),
        eq(chunks.versionId, slot("version")),
        lt(chunks.position, slot("before")),
      ),
    )
    .orderBy(desc(chunks.position))
    .limit(slot("limit"))
    .prepare(),
);

/** A version's chunks from last to first, page by page. */
export function* storedChunks(set: number, version: string, limit = 200): Generator<Chunk> {
  for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
    const page = chunksBefore(db()).all({ set, version, before, limit });
    yield* page;
    before = page.at(-1)?.position ?? 0;
  }
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

export type ChunkSetRow = typeof chunkSets.$inferSelect;

export const findChunkSet = preparedFind(chunkSets, "orgId", "key");

export function insertChunkSet(db: Db, row: typeof chunkSets.$inferInsert): ChunkSetRow {
  return db.insert(chunkSets).values(row).returning().get();
}

export function listChunkSets(db: Db): ChunkSetRow[] {
  return db.select().from(chunkSets).all();
}

const findSet = preparedFind(chunkSets, "id");

export const findChunkSetKey = (db: Db, id: number): string | undefined => findSet(db, id)?.key;

export function hasChunkSet(db: Db, { id, key }: ChunkSetRow): boolean {
  return findChunkSetKey(db, id) === key;
}

export function setChunkSetKey(db: Db, id: number, key: string): void {
  db.update(chunkSets).set({ key }).where(eq(chunkSets.id, id)).run();
}

export const deleteChunkSet = preparedDelete(chunkSets, "id");

// Key of a set or space being dropped, so that no new index uses it.
export const droppedKey = (id: number) => `dropping/${id}`;
/** Key of a space whose model gives other vectors now: its index is searched until another one is whole. */
export const supersededKey = ({ key, id }: Pick<SpaceRow, "key" | "id">) => `${key}#${id}`;
export const isDroppedKey = (key: string) => key.startsWith("dropping/");

export type SpaceRow = typeof embeddingSpaces.$inferSelect;

export const findSpace = preparedFind(embeddingSpaces, "orgId", "key");

export function insertSpace(db: Db, row: Omit<SpaceRow, "id">): SpaceRow {
  return db.insert(embeddingSpaces).values(row).returning().get();
}

export function listSpaces(db: Db): SpaceRow[] {
  return db.select().from(embeddingSpaces).all();
}

export const findSpaceById = preparedFind(embeddingSpaces, "id");

export function hasSpace(db: Db, { id, key }: SpaceRow): boolean {
  return findSpaceById(db, id)?.key === key;
}

export function setSpaceKey(db: Db, id: number, key: string): void {
  db.update(embeddingSpaces).set({ key }).where(eq(embeddingSpaces.id, id)).run();
}

const dimensionsOf = prepared((db) =>
  db
    .update(embeddingSpaces)
    .set({ dimensions: sql`${slot("dimensions")}` })
    .where(and(eq(embeddingSpaces.id, slot("id")), eq(embeddingSpaces.dimensions, 0)))
    .prepare(),
);

export function setDimensions(db: Db, id: number, dimensions: number): void {
  dimensionsOf(db).run({ id, dimensions });
}

export function setMaxTokens(db: Db, id: number, maxTokens: number): void {
  db.update(embeddingSpaces).set({ maxTokens }).where(eq(embeddingSpaces.id, id)).run();
}

export const deleteSpace = preparedDelete(embeddingSpaces, "id");

export const hasEmbedding = preparedHas(embeddings, "spaceId", "hash");

const insertion = prepared((db) =>
  db
    .insert(embeddings)
    .values({ spaceId: slot("space"), hash: slot("hash"), vector: slot("vector") })
    .onConflictDoNothing()
    .prepare(),
);

export function insertEmbedding(db: Db, space: number, hash: string, vector: Buffer): void {
  insertion(db).run({ space, hash, vector });
}

const ofChunk = prepared((db) =>
  db
    .select({
      vector: embeddings.vector,
      documentId: documents.id,
      hash: chunks.hash,
      visibility: documents.visibility,
    })
    .from(chunks)
    .innerJoin(documents, eq(documents.id, chunks.documentId))
    .innerJoin(embeddings, and(eq(embeddings.hash, chunks.hash), eq(embeddings.spaceId, slot("space"))))
    .where(eq(chunks.id, slot("chunk")))
    .prepare(),
);

export function findVector(
  db: Db,
  space: number,
  chunk: number,
): { vector: Buffer; documentId: string; hash: string; visibility: "organisation" | "named" } | undefined {
  return ofChunk(db).get({ space, chunk });
}

// Names the spaces, because the index starts with them.
const deletion = prepared((db) =>
  db
    .delete(embeddings)
    .where(
      and(
        inArray(embeddings.spaceId, db.select({ id: embeddingSpaces.id }).from(embeddingSpaces)),
        eq(embeddings.hash, slot("hash")),
      ),
    )
    .prepare(),
);

export function deleteEmbeddings(db: Db, hash: string): void {
  deletion(db).run({ hash });
}

export function listEmbeddings(db: Db, space: number, limit: number): number[] {
  const some = db.select({ id: embeddings.id }).from(embeddings).where(eq(embeddings.spaceId, space));
  return some
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

export const deleteEmbedding = preparedDelete(embeddings, "id");
