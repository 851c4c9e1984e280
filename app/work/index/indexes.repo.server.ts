import { and, asc, count, eq, gt, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedFind, preparedHas } from "~/core/db.server";
import {
  chunkSets,
  chunks,
  documentCategories,
  documents,
  documentVersions,
  embeddingSpaces,
  indexEntries,
  isSharedWith,
  isVisibleTo,
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
export const LIVE: readonly IndexState[] = ["building", "ready", "serving"];

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
  change: Partial<Pick<NewIndex, "state" | "done" | "total" | "error" | "servedAt" | "needsApproval">>,
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
    .select({ id: indexEntries.chunkId, visibility: documents.visibility })
    .from(indexEntries)
    .leftJoin(chunks, eq(chunks.id, indexEntries.chunkId))
    .leftJoin(documents, eq(documents.id, chunks.documentId))
    .where(and(eq(indexEntries.indexId, index), gt(indexEntries.chunkId, after)))
    .orderBy(asc(indexEntries.chunkId))
    .limit(limit)
    .all();
}

export function countUses(db: Db, of: { chunkSetId: number } | { spaceId: number }): number {
  const condition =
    "chunkSetId" in of ? eq(searchIndexes.chunkSetId, of.chunkSetId) : eq(searchIndexes.spaceId, of.spaceId);
  return db.select({ uses: count() }).from(searchIndexes).where(condition).get()?.uses ?? 0;
}

export function listRestrictedDocuments(db: Db, orgId: string, userId: string, limit: number): string[] {
  return db
    .select({ id: documents.id })
    .from(documents)
    .where(
      and(
        eq(documents.orgId, orgId),
        eq(documents.visibility, "named"),
        isNull(documents.deletedAt),
        or(eq(documents.createdBy, userId), isSharedWith(userId, documents.id)),
      ),
    )
    .limit(limit)
    .all()
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

/** Indexes that a document must be in before it is active. */
export function listLiveIndexIds(tx: Db, orgId: string, collection: string): number[] {
  return listIndexes(tx, orgId)
    .filter((index) => index.collection === collection && LIVE.includes(index.state))
    .map(({ id }) => id);
}

export function listIndexedOrgs(db: Db): string[] {
  return db
    .selectDistinct({ orgId: searchIndexes.orgId })
    .from(searchIndexes)
    .all()
    .map(({ orgId }) => orgId);
}

// What the index and its search read of the documents above them.

type DocumentRow = typeof documents.$inferSelect;

/** The plus makes SQLite look up by id instead of sorting all documents of the organization. */
const byOrg = (orgId: string) => sql`+${documents.orgId} = ${orgId}`;

export const findIndexedDocument = preparedFind(documents, "id");

/** Those of the documents that a person sees. */
export function findDocuments(
  tx: Db,
  viewer: { orgId: string; userId: string },
  ids: readonly string[],
): DocumentRow[] {
  // The plus keeps SQLite from scanning the whole organization (https://sqlite.org/optoverview.html).
  const condition = and(
    inArray(documents.id, [...ids]),
    byOrg(viewer.orgId),
    isVisibleTo(viewer.userId, documents.id),
  );
  return tx.select().from(documents).where(condition).all();
}

/** A page of active versions by document, including deleted ones, which can be restored. */
export function listActiveVersions(
  db: Db,
  orgId: string,
  after: string,
  limit: number,
): { documentId: string; versionId: string }[] {
  return db
    .select({ documentId: documents.id, versionId: sql<string>`${documents.versionId}` })
    .from(documents)
    .where(and(byOrg(orgId), isNotNull(documents.versionId), gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(limit)
    .all();
}

export function sumChunkCounts(db: Db, orgId: string): number {
  return (
    db
      .select({ sum: sql<number>`coalesce(sum(${documents.chunkCount}), 0)` })
      .from(documents)
      .where(eq(documents.orgId, orgId))
      .get()?.sum ?? 0
  );
}

const setCount = prepared((db) =>
  db
    .update(documents)
    .set({ chunkCount: sql`${slot("count")}` })
    .where(and(eq(documents.id, slot("id")), ne(documents.chunkCount, slot("count"))))
    .prepare(),
);

export function setChunkCount(db: Db, documentId: string, count: number): void {
  setCount(db).run({ id: documentId, count });
}

/** What extraction found out about versions, by document id and number. */
export function listFactsOf(tx: Db, versions: readonly { documentId: string; number: number }[]) {
  const { documentId, number, facts } = documentVersions;
  if (versions.length === 0) return [];
  return tx
    .select({ documentId, number, facts })
    .from(documentVersions)
    .where(or(...versions.map((one) => and(eq(documentId, one.documentId), eq(number, one.number)))))
    .all();
}

const version = prepared((db) =>
  db
    .select({
      documentId: documentVersions.documentId,
      orgId: documents.orgId,
      state: documentVersions.state,
      name: documents.name,
      title: sql<string>`coalesce(${documentVersions.title}, ${documents.name})`,
    })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(eq(documentVersions.id, slot("id")))
    .prepare(),
);

export const findIndexedVersion = (db: Db, id: string) => version(db).get({ id });

export function listCategoryNames(tx: Db, orgId: string): string[] {
  const { name, position, id } = documentCategories;
  const rows = tx.select({ name }).from(documentCategories).where(eq(documentCategories.orgId, orgId));
  return rows
    .orderBy(asc(position), asc(id))
    .all()
    .map((row) => row.name);
}
