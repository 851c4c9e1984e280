import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  lte,
  max,
  min,
  ne,
  notExists,
  or,
  sql,
} from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import {
  chunks,
  documentParts,
  documents,
  documentTexts,
  documentVersions,
  ingestJobs,
  isSeenBy,
  searchIndexes,
} from "~db/schema";

export type DocumentRow = typeof documents.$inferSelect;
export type VersionRow = typeof documentVersions.$inferSelect;

/** Who looks: only what they may see is found. */
interface Viewer {
  orgId: string;
  userId: string;
}

export function insertDocument(tx: Db, row: typeof documents.$inferInsert): void {
  tx.insert(documents).values(row).run();
}

export function updateDocument(tx: Db, id: string, change: Partial<DocumentRow>): void {
  tx.update(documents).set(change).where(eq(documents.id, id)).run();
}

const documentById = prepared((db) =>
  db
    .select()
    .from(documents)
    .where(eq(documents.id, sql.placeholder("id")))
    .prepare(),
);

/** A document without an access check, including deleted ones: for processing it. */
export function findDocument(tx: Db, id: string): DocumentRow | undefined {
  return documentById(tx).get({ id });
}

const seenBy = ({ orgId, userId }: Viewer) => and(eq(documents.orgId, orgId), isSeenBy(userId, documents.id));

/** The documents that someone sees and that are read from an address, the oldest first. */
export function listSeenBySource(tx: Db, viewer: Viewer, url: string): DocumentRow[] {
  return tx
    .select({ document: documents })
    .from(documents)
    .where(and(seenBy(viewer), eq(documents.type, "url"), eq(documents.source, url)))
    .orderBy(asc(documents.createdAt), asc(documents.id))
    .limit(20)
    .all()
    .map(({ document }) => document);
}

/** The documents that someone sees and whose newest or searched version has the same bytes, the oldest first. */
export function listSeenByContent(
  tx: Db,
  viewer: Viewer,
  sha256: string,
  exceptId?: string,
): { document: DocumentRow; version: VersionRow }[] {
  return tx
    .select({ document: documents, version: documentVersions })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(
      and(
        seenBy(viewer),
        eq(documentVersions.sha256, sha256),
        exceptId === undefined ? undefined : ne(documents.id, exceptId),
        sql`(${documentVersions.id} = ${documents.versionId} OR ${documentVersions.number} = (SELECT max(v.number) FROM document_versions v WHERE v.document_id = ${documents.id}))`,
      ),
    )
    .orderBy(asc(documents.createdAt), asc(documents.id))
    .limit(20)
    .all();
}

export function insertVersion(tx: Db, row: typeof documentVersions.$inferInsert): void {
  tx.insert(documentVersions).values(row).run();
}

export function updateVersion(tx: Db, id: string, change: Partial<VersionRow>): void {
  tx.update(documentVersions).set(change).where(eq(documentVersions.id, id)).run();
}

const versionById = prepared((db) =>
  db
    .select()
    .from(documentVersions)
    .where(eq(documentVersions.id, sql.placeholder("id")))
    .prepare(),
);

export function findVersion(tx: Db, id: string): VersionRow | undefined {
  return versionById(tx).get({ id });
}

/** The newest first. */
export function listVersions(tx: Db, documentId: string): VersionRow[] {
  return tx
    .select()
    .from(documentVersions)
    .where(eq(documentVersions.documentId, documentId))
    .orderBy(desc(documentVersions.number))
    .all();
}

export function lastVersionNumber(tx: Db, documentId: string): number {
  return (
    tx
      .select({ last: max(documentVersions.number) })
      .from(documentVersions)
      .where(eq(documentVersions.documentId, documentId))
      .get()?.last ?? 0
  );
}

export const insertPart = preparedInsert(documentParts);
export const insertText = preparedInsert(documentTexts);

const someParts = prepared((db) =>
  db
    .delete(documentParts)
    .where(
      and(
        eq(documentParts.versionId, sql.placeholder("versionId")),
        lt(documentParts.position, sql.placeholder("end")),
      ),
    )
    .prepare(),
);

/** Removes a version's parts before a position. */
export function deletePartsBefore(tx: Db, versionId: string, end: number): void {
  someParts(tx).run({ versionId, end });
}

/** How many parts there are, by the highest position. */
export function countParts(tx: Db, versionId: string): number {
  const last = tx
    .select({ last: max(documentParts.position) })
    .from(documentParts)
    .where(eq(documentParts.versionId, versionId))
    .get()?.last;
  return last === null || last === undefined ? 0 : last + 1;
}

export function countTexts(tx: Db, versionId: string): number {
  const last = tx
    .select({ last: max(documentTexts.position) })
    .from(documentTexts)
    .where(eq(documentTexts.versionId, versionId))
    .get()?.last;
  return last === null || last === undefined ? 0 : last + 1;
}

export function deleteText(tx: Db, versionId: string, position: number): void {
  tx.delete(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, position)))
    .run();
}

/** The beginning of a version's text. */
export function firstText(tx: Db, versionId: string): string {
  return (
    tx
      .select({ text: documentTexts.text })
      .from(documentTexts)
      .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, 0)))
      .get()?.text ?? ""
  );
}

/** Versions whose bytes were coming, and the id of a job that waits or runs for them, if there is one. */
export function listReceiving(tx: Db): VersionRow[] {
  return tx.select().from(documentVersions).where(eq(documentVersions.state, "receiving")).all();
}

/** Documents whose addresses are to be read again. */
export function listDueDocuments(tx: Db, at: number, limit: number): DocumentRow[] {
  return tx
    .select()
    .from(documents)
    .where(
      and(
        isNotNull(documents.refreshEvery),
        lte(documents.refreshAt, at),
        // The plus keeps SQLite from reading all that aren't deleted (https://sqlite.org/optoverview.html).
        sql`+${documents.deletedAt} IS NULL`,
      ),
    )
    .orderBy(asc(documents.refreshAt))
    .limit(limit)
    .all();
}

/** When the next document is due for a refresh, in ms since the epoch. */
export function nextRefreshAt(tx: Db): number | undefined {
  const next = tx
    .select({ at: min(documents.refreshAt) })
    .from(documents)
    .where(
      and(
        isNotNull(documents.refreshEvery),
        isNotNull(documents.refreshAt),
        sql`+${documents.deletedAt} IS NULL`,
      ),
    )
    .get();
  return next?.at ?? undefined;
}

/** When the next document was deleted that may still be restored, in ms since the epoch. */
export function nextDeletedAt(tx: Db, after: number): number | undefined {
  const next = tx
    .select({ at: min(documents.deletedAt) })
    .from(documents)
    .where(gt(documents.deletedAt, after))
    .get();
  return next?.at ?? undefined;
}

/**
 * Documents that were deleted before a time and wait to be removed for good. Those that are worked on, and those whose
 * removal has failed since `failedSince`, don't stand in the way of others.
 */
export function listDeletedDocuments(
  tx: Db,
  { before, failedSince, limit }: { before: number; failedSince: number; limit: number },
): DocumentRow[] {
  const inTheWay = tx
    .select({ one: sql`1` })
    .from(ingestJobs)
    .where(
      and(
        eq(ingestJobs.documentId, documents.id),
        or(
          inArray(ingestJobs.state, ["queued", "running"]),
          and(
            eq(ingestJobs.kind, "purge"),
            eq(ingestJobs.state, "failed"),
            gt(ingestJobs.finishedAt, failedSince),
          ),
        ),
      ),
    );
  return tx
    .select()
    .from(documents)
    .where(and(isNotNull(documents.deletedAt), lte(documents.deletedAt, before), notExists(inTheWay)))
    .orderBy(asc(documents.deletedAt))
    .limit(limit)
    .all();
}

/** The index that serves the organisation's documents. */
export function findServingIndex(tx: Db, orgId: string, collection: string) {
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

/** The indexes that a document must stand in before it is searched. */
export function listLiveIndexIds(tx: Db, orgId: string, collection: string): number[] {
  return tx
    .select({ id: searchIndexes.id })
    .from(searchIndexes)
    .where(
      and(
        eq(searchIndexes.orgId, orgId),
        eq(searchIndexes.collection, collection),
        inArray(searchIndexes.state, ["serving", "building", "ready"]),
      ),
    )
    .orderBy(asc(searchIndexes.id))
    .all()
    .map(({ id }) => id);
}

export function countChunks(tx: Db, versionId: string, chunkSetId: number): number {
  const found = tx
    .select({ n: sql<number>`count(*)` })
    .from(chunks)
    .where(and(eq(chunks.versionId, versionId), eq(chunks.chunkSetId, chunkSetId)))
    .get();
  return found?.n ?? 0;
}

/** Also takes what hangs on it: parts, texts and jobs. */
export function deleteVersion(tx: Db, id: string): void {
  tx.delete(documentVersions).where(eq(documentVersions.id, id)).run();
}

/** Removes a document's row and what hangs on it; its chunks must be gone. */
export function deleteDocument(tx: Db, id: string): void {
  tx.delete(documents).where(eq(documents.id, id)).run();
}
