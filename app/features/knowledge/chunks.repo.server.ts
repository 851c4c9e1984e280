import { and, asc, count, desc, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { chunkSets, chunks, documents, documentVersions, searchIndexes } from "~db/schema";

type ChunkRow = typeof chunks.$inferSelect;
export type ChunkSetRow = typeof chunkSets.$inferSelect;

const insertRow = preparedInsert(chunks);
const slot = sql.placeholder;

export function findChunkSet(db: Db, orgId: string, key: string): ChunkSetRow | undefined {
  return db
    .select()
    .from(chunkSets)
    .where(and(eq(chunkSets.orgId, orgId), eq(chunkSets.key, key)))
    .get();
}

export function insertChunkSet(db: Db, row: Omit<ChunkSetRow, "id">): ChunkSetRow {
  return db.insert(chunkSets).values(row).returning().get();
}

export function listChunkSets(db: Db): ChunkSetRow[] {
  return db.select().from(chunkSets).all();
}

const setKey = prepared((db) =>
  db
    .select({ key: chunkSets.key })
    .from(chunkSets)
    .where(eq(chunkSets.id, slot("id")))
    .prepare(),
);

export function findChunkSetKey(db: Db, id: number): string | undefined {
  return setKey(db).get({ id })?.key;
}

/** Whether a chunk set is still what it was, and not being dropped. */
export function isChunkSet(db: Db, { id, key }: ChunkSetRow): boolean {
  return findChunkSetKey(db, id) === key;
}

export function setChunkSetKey(db: Db, id: number, key: string): void {
  db.update(chunkSets).set({ key }).where(eq(chunkSets.id, id)).run();
}

/** What the words of a set's keyword index are made of; nothing when the set is gone. */
export function findWordsForm(db: Db, id: number): number | undefined {
  return db.select({ form: chunkSets.wordsForm }).from(chunkSets).where(eq(chunkSets.id, id)).get()?.form;
}

export function setWordsForm(db: Db, id: number, wordsForm: number): void {
  db.update(chunkSets).set({ wordsForm }).where(eq(chunkSets.id, id)).run();
}

export function deleteChunkSet(db: Db, id: number): void {
  db.delete(chunkSets).where(eq(chunkSets.id, id)).run();
}

const chunkAt = prepared((db) =>
  db
    .select({ id: chunks.id })
    .from(chunks)
    .where(
      and(
        eq(chunks.chunkSetId, slot("set")),
        eq(chunks.versionId, slot("version")),
        eq(chunks.position, slot("position")),
      ),
    )
    .prepare(),
);

export function findChunkAt(
  db: Db,
  set: number,
  version: string,
  position: number,
): { id: number } | undefined {
  return chunkAt(db).get({ set, version, position });
}

/** @returns the chunk's id */
export function insertChunk(db: Db, row: Omit<ChunkRow, "id">): number {
  insertRow(db, row as typeof chunks.$inferInsert);
  return lastId(db).get()?.id ?? 0;
}

const lastId = prepared((db) =>
  db.select({ id: sql<number>`last_insert_rowid()` }).from(sql`(SELECT 1)`).prepare(),
);

export function countVersionChunks(db: Db, set: number, version: string): number {
  return (
    db
      .select({ chunks: count() })
      .from(chunks)
      .where(and(eq(chunks.chunkSetId, set), eq(chunks.versionId, version)))
      .get()?.chunks ?? 0
  );
}

/** A chunk as far as an index needs to know it. */
export type ChunkKey = Pick<ChunkRow, "id" | "position" | "hash">;

const keys = prepared((db) =>
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

/** A version's chunks by position, a page of them. @param after -1 for the beginning */
export function listChunkKeys(
  db: Db,
  { set, version, after, limit }: { set: number; version: string; after: number; limit: number },
): ChunkKey[] {
  return keys(db).all({ set, version, after, limit });
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

/** What a document is called: its name in the lists, and the title that its version gives itself, or its name again. */
export interface Titled {
  name: string;
  title: string;
}

/** What is embedded and searched of a chunk; nothing where it is gone. */
export function findChunkText(
  db: Db,
  id: number,
): (Titled & { text: string; headings: string[] }) | undefined {
  return textOf(db).get({ id });
}

const ids = prepared((db) =>
  db
    .select({ id: chunks.id, set: chunks.chunkSetId, hash: chunks.hash })
    .from(chunks)
    .where(and(eq(chunks.versionId, slot("version"))))
    .orderBy(desc(chunks.id))
    .limit(slot("limit"))
    .prepare(),
);

/**
 * Some of a version's chunks in all sets, what was written last first: that is the first one of a set, whose absence
 * says that the rest isn't whole.
 */
export function listVersionChunks(
  db: Db,
  version: string,
  limit: number,
): { id: number; set: number; hash: string }[] {
  return ids(db).all({ version, limit });
}

const setIds = prepared((db) =>
  db
    .select({ id: chunks.id, hash: chunks.hash })
    .from(chunks)
    .where(and(eq(chunks.chunkSetId, slot("set"))))
    .limit(slot("limit"))
    .prepare(),
);

/** Some of a set's chunks. */
export function listSetChunks(db: Db, set: number, limit: number): { id: number; hash: string }[] {
  return setIds(db).all({ set, limit });
}

const setIdsAfter = prepared((db) =>
  db
    .select({ id: chunks.id, set: chunks.chunkSetId })
    .from(chunks)
    .where(gt(chunks.id, slot("after")))
    .orderBy(asc(chunks.id))
    .limit(slot("limit"))
    .prepare(),
);

/** All sets' chunks by id, a page of them. */
export function listChunkIds(db: Db, after: number, limit: number): { id: number; set: number }[] {
  return setIdsAfter(db).all({ after, limit });
}

const chunkExists = prepared((db) =>
  db
    .select({ id: chunks.id })
    .from(chunks)
    .where(eq(chunks.id, slot("id")))
    .prepare(),
);

export function hasChunk(db: Db, id: number): boolean {
  return chunkExists(db).get({ id }) !== undefined;
}

const deletion = prepared((db) =>
  db
    .delete(chunks)
    .where(eq(chunks.id, slot("id")))
    .prepare(),
);

export function deleteChunk(db: Db, id: number): void {
  deletion(db).run({ id });
}

const sameContent = prepared((db) =>
  db
    .select({ id: chunks.id })
    .from(chunks)
    .where(eq(chunks.hash, slot("hash")))
    .limit(1)
    .prepare(),
);

export function hasContent(db: Db, hash: string): boolean {
  return sameContent(db).get({ hash }) !== undefined;
}

const documentChunks = prepared((db) =>
  db
    .select({ id: chunks.id, set: chunks.chunkSetId })
    .from(chunks)
    .where(and(eq(chunks.documentId, slot("document")), gt(chunks.id, slot("after"))))
    .orderBy(asc(chunks.id))
    .limit(slot("limit"))
    .prepare(),
);

/** A document's chunks in all sets and versions by id, a page of them. */
export function listDocumentChunks(
  db: Db,
  document: string,
  after: number,
  limit: number,
): { id: number; set: number }[] {
  return documentChunks(db).all({ document, after, limit });
}

const version = prepared((db) =>
  db
    .select({
      documentId: documentVersions.documentId,
      state: documentVersions.state,
      name: documents.name,
      title: sql<string>`coalesce(${documentVersions.title}, ${documents.name})`,
    })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(eq(documentVersions.id, slot("id")))
    .prepare(),
);

export interface IndexedVersion extends Titled {
  documentId: string;
  state: (typeof documentVersions.$inferSelect)["state"];
}

/** A version as far as an index needs to know it; nothing when it is gone. */
export function findVersion(db: Db, id: string): IndexedVersion | undefined {
  return version(db).get({ id });
}

/** Of an organisation, but looked for by id: by its index every page would read and sort all its documents. */
const byId = (orgId: string) => sql`+${documents.orgId} = ${orgId}`;

/** The versions that are searched, by document, a page of them; also of deleted documents, which may come back. */
export function listServedVersions(
  db: Db,
  orgId: string,
  after: string,
  limit: number,
): { documentId: string; versionId: string }[] {
  return db
    .select({ documentId: documents.id, versionId: sql<string>`${documents.versionId}` })
    .from(documents)
    .where(and(byId(orgId), isNotNull(documents.versionId), gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(limit)
    .all();
}

/** The documents with a version that calls itself otherwise, a page of them by id. */
export function listOtherTitles(db: Db, orgId: string, after: string, limit: number): string[] {
  return db
    .selectDistinct({ id: documents.id })
    .from(documents)
    .innerJoin(documentVersions, eq(documentVersions.documentId, documents.id))
    .where(and(byId(orgId), ne(documentVersions.title, documents.name), gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

/** How many chunks an index over all documents will have, as far as it is known: what isn't searched yet has none. */
export function sumChunks(db: Db, orgId: string): number {
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

const visibility = prepared((db) =>
  db
    .select({ orgId: documents.orgId, visibility: documents.visibility })
    .from(documents)
    .where(eq(documents.id, slot("id")))
    .prepare(),
);

/** Whether everyone sees a document; nothing when it is gone. */
export function isOpen(db: Db, documentId: string): { orgId: string; open: boolean } | undefined {
  const row = visibility(db).get({ id: documentId });
  return row && { orgId: row.orgId, open: row.visibility === "organisation" };
}

export function findOrgOfVersion(db: Db, versionId: string): string | undefined {
  return db
    .select({ orgId: documents.orgId })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(eq(documentVersions.id, versionId))
    .get()?.orgId;
}

/** The organisations that have an index. */
export function listIndexedOrgs(db: Db): string[] {
  return db
    .selectDistinct({ orgId: searchIndexes.orgId })
    .from(searchIndexes)
    .all()
    .map(({ orgId }) => orgId);
}
