import { and, asc, count, eq, gt, gte, inArray, isNull, or, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedHas } from "~/core/db.server";
import {
  chunkSets,
  chunks,
  documents,
  embeddingSpaces,
  indexEntries,
  isSharedWith,
  searchIndexes,
} from "~db/schema";

const slot = sql.placeholder;

const all = prepared((db) =>
  db
    .select({ index: searchIndexes, chunkSet: chunkSets, space: embeddingSpaces })
    .from(searchIndexes)
    .innerJoin(chunkSets, eq(chunkSets.id, searchIndexes.chunkSetId))
    .leftJoin(embeddingSpaces, eq(embeddingSpaces.id, searchIndexes.spaceId))
    .where(eq(searchIndexes.orgId, slot("orgId")))
    .orderBy(asc(searchIndexes.id))
    .prepare(),
);

type IndexState = (typeof searchIndexes.$inferSelect)["state"];

/** New documents are added to all of these. */
export const LIVE: readonly IndexState[] = ["building", "serving"];

export type IndexRow = typeof searchIndexes.$inferSelect & {
  chunkSet: typeof chunkSets.$inferSelect;
  space: typeof embeddingSpaces.$inferSelect | null;
};

export function listIndexes(db: Db, orgId: string): IndexRow[] {
  return all(db)
    .all({ orgId })
    .map(({ index, chunkSet, space }) => ({ ...index, chunkSet, space }));
}

type NewIndex = Omit<typeof searchIndexes.$inferInsert, "id">;

export function insertIndex(db: Db, row: NewIndex): number {
  return db.insert(searchIndexes).values(row).returning({ id: searchIndexes.id }).get().id;
}

export function updateIndex(
  db: Db,
  id: number,
  change: Partial<
    Pick<NewIndex, "state" | "done" | "total" | "error" | "servedAt" | "isLost" | "searchEf" | "recall">
  >,
): void {
  db.update(searchIndexes).set(change).where(eq(searchIndexes.id, id)).run();
}

const live = prepared((db) =>
  db
    .select({ id: searchIndexes.id })
    .from(searchIndexes)
    .where(and(eq(searchIndexes.id, slot("id")), inArray(searchIndexes.state, [...LIVE])))
    .prepare(),
);

export function isLive(db: Db, id: number): boolean {
  return live(db).get({ id }) !== undefined;
}

export const deleteIndex = preparedDelete(searchIndexes, "id");

export const hasEntry = preparedHas(indexEntries, "indexId", "chunkId");
export const deleteEntry = preparedDelete(indexEntries, "indexId", "chunkId");

const newEntry = prepared((db) =>
  db
    .insert(indexEntries)
    .values({ indexId: slot("index"), chunkId: slot("chunk") })
    .onConflictDoNothing()
    .prepare(),
);

export function insertEntry(db: Db, index: number, chunk: number): void {
  newEntry(db).run({ index, chunk });
}

export function listEntries(db: Db, index: number, limit: number): number[] {
  return db
    .select({ chunkId: indexEntries.chunkId })
    .from(indexEntries)
    .where(eq(indexEntries.indexId, index))
    .limit(limit)
    .all()
    .map(({ chunkId }) => chunkId);
}

export function listEntryScopes(db: Db, index: number, after: number, limit: number) {
  return db
    .select({
      id: indexEntries.chunkId,
      visibility: documents.visibility,
      documentId: chunks.documentId,
      hash: chunks.hash,
    })
    .from(indexEntries)
    .leftJoin(chunks, eq(chunks.id, indexEntries.chunkId))
    .leftJoin(documents, eq(documents.id, chunks.documentId))
    .where(and(eq(indexEntries.indexId, index), gt(indexEntries.chunkId, after)))
    .orderBy(asc(indexEntries.chunkId))
    .limit(limit)
    .all();
}

export function countEntries(db: Db, index: number): number {
  const rows = db.select({ entries: count() }).from(indexEntries).where(eq(indexEntries.indexId, index));
  return rows.get()?.entries ?? 0;
}

/** @param limit counts no further */
export function countChunksOf(db: Db, documentIds: readonly string[], limit: number): number {
  const some = db
    .select({ id: chunks.id })
    .from(chunks)
    .where(inArray(chunks.documentId, [...documentIds]))
    .limit(limit)
    .as("some");
  return db.select({ chunks: count() }).from(some).get()?.chunks ?? 0;
}

/** Chunks of an index, spread evenly over their ids. */
export function listSampleEntries(db: Db, index: number, size: number): number[] {
  const { indexId, chunkId } = indexEntries;
  const bounds = db
    .select({ first: sql<number>`min(${chunkId})`, last: sql<number>`max(${chunkId})` })
    .from(indexEntries)
    .where(eq(indexId, index))
    .get();
  if (!bounds || bounds.first === null) return [];
  const ids = new Set<number>();
  for (let at = 0; at < size; at++) {
    const from = bounds.first + Math.floor(((bounds.last - bounds.first) * at) / size);
    const near = db
      .select({ chunkId })
      .from(indexEntries)
      .where(and(eq(indexId, index), gte(chunkId, from)))
      .orderBy(asc(chunkId))
      .limit(1)
      .get();
    if (near) ids.add(near.chunkId);
  }
  return [...ids];
}

export function countUses(db: Db, of: { chunkSetId: number } | { spaceId: number }): number {
  const condition =
    "chunkSetId" in of ? eq(searchIndexes.chunkSetId, of.chunkSetId) : eq(searchIndexes.spaceId, of.spaceId);
  return db.select({ uses: count() }).from(searchIndexes).where(condition).get()?.uses ?? 0;
}

const restrictedDocuments = prepared((db) =>
  db
    .select({ id: documents.id })
    .from(documents)
    .where(
      and(
        eq(documents.orgId, slot("orgId")),
        eq(documents.visibility, "named"),
        isNull(documents.deletedAt),
        or(eq(documents.createdBy, slot("userId")), isSharedWith(slot("userId"), documents.id)),
      ),
    )
    .limit(slot("limit"))
    .prepare(),
);

export function listRestrictedDocuments(db: Db, orgId: string, userId: string, limit: number): string[] {
  return restrictedDocuments(db)
    .all({ orgId, userId, limit })
    .map(({ id }) => id);
}

export function findActiveIndex(tx: Db, orgId: string, collection: string) {
  return tx
    .select()
    .from(searchIndexes)
    .where(
      and(
        eq(searchIndexes.orgId, orgId),
        eq(searchIndexes.collection, collection),
        eq(searchIndexes.state, "serving"),
      ),
    )
    .get();
}

const liveIds = prepared((db) =>
  db
    .select({ id: searchIndexes.id })
    .from(searchIndexes)
    .where(
      and(
        eq(searchIndexes.orgId, slot("orgId")),
        eq(searchIndexes.collection, slot("collection")),
        inArray(searchIndexes.state, [...LIVE]),
      ),
    )
    .orderBy(asc(searchIndexes.id))
    .prepare(),
);

/** Indexes that a document must be in before it is active. */
export function listLiveIndexIds(tx: Db, orgId: string, collection: string): number[] {
  return liveIds(tx)
    .all({ orgId, collection })
    .map(({ id }) => id);
}

export function listIndexedOrgs(db: Db): string[] {
  return db
    .selectDistinct({ orgId: searchIndexes.orgId })
    .from(searchIndexes)
    .all()
    .map(({ orgId }) => orgId);
}
