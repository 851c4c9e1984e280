import { and, asc, desc, eq, inArray, lt, lte, max, ne, sql } from "drizzle-orm";
import { now } from "~/core/clock.server";
import {
  type Db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import { newId } from "~/core/ids.server";
import {
  documentParts,
  documents,
  documentTexts,
  documentVersions,
  isVisibleTo,
  recognizedPages,
} from "~db/schema";
import type { DocumentRow, Viewer } from "../documents.repo.server";

const slot = sql.placeholder;

export type VersionRow = typeof documentVersions.$inferSelect;

const visibleTo = ({ orgId, userId }: Viewer) =>
  and(eq(documents.orgId, orgId), isVisibleTo(userId, documents.id));

export function listVisibleBySource(tx: Db, viewer: Viewer, url: string): DocumentRow[] {
  return tx
    .select({ document: documents })
    .from(documents)
    .where(and(visibleTo(viewer), eq(documents.type, "url"), eq(documents.source, url)))
    .orderBy(asc(documents.createdAt), asc(documents.id))
    .limit(20)
    .all()
    .map(({ document }) => document);
}

/**
 * Visible documents from a file of the same name that were added at another time, one's own first, then the newest.
 * Those that never could be read aren't among them.
 */
export function listOlderFiles(
  tx: Db,
  viewer: Viewer,
  { id, source, batchId }: Pick<DocumentRow, "id" | "source" | "batchId">,
): DocumentRow[] {
  return tx
    .select({ document: documents })
    .from(documents)
    .where(
      and(
        visibleTo(viewer),
        eq(documents.type, "file"),
        eq(documents.source, source),
        ne(documents.id, id),
        ne(documents.status, "failed"),
        sql`${documents.batchId} is not ${batchId}`,
      ),
    )
    .orderBy(sql`${documents.createdBy} = ${viewer.userId} desc`, desc(documents.createdAt))
    .limit(20)
    .all()
    .map(({ document }) => document);
}

const visibleByContent = prepared((db) =>
  db
    .select({ document: documents, version: documentVersions })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(
      and(
        eq(documents.orgId, slot("orgId")),
        isVisibleTo(slot("userId"), documents.id),
        eq(documentVersions.sha256, slot("sha256")),
        ne(documents.id, slot("exceptId")),
        sql`(${documentVersions.id} = ${documents.versionId} OR ${documentVersions.number} = (SELECT max(v.number) FROM document_versions v WHERE v.document_id = ${documents.id}))`,
      ),
    )
    .orderBy(asc(documents.createdAt), asc(documents.id))
    .limit(20)
    .prepare(),
);

/** Visible documents with the same bytes in their newest or active version, oldest first. */
export function listVisibleByContent(
  tx: Db,
  { orgId, userId }: Viewer,
  sha256: string,
  exceptId = "",
): { document: DocumentRow; version: VersionRow }[] {
  return visibleByContent(tx).all({ orgId, userId, sha256, exceptId });
}

const insertVersion = preparedInsert(documentVersions);
export const updateVersion = preparedUpdate(documentVersions, "id");

export const findVersion = preparedFind(documentVersions, "id");

export function listVersions(tx: Db, documentId: string): VersionRow[] {
  return tx
    .select()
    .from(documentVersions)
    .where(eq(documentVersions.documentId, documentId))
    .orderBy(desc(documentVersions.number))
    .all();
}

/** Inserts a version with the next number and the encoding chosen for the current one. @returns its id */
export function addVersion(
  tx: Db,
  documentId: string,
  version: Pick<VersionRow, "state" | "createdBy"> & Partial<VersionRow>,
): string {
  const id = newId("ver");
  const last = tx
    .select({ number: max(documentVersions.number) })
    .from(documentVersions)
    .where(eq(documentVersions.documentId, documentId))
    .get();
  const number = (last?.number ?? 0) + 1;
  const current = tx
    .select({ encoding: documentVersions.encoding })
    .from(documents)
    .innerJoin(documentVersions, eq(documentVersions.id, documents.versionId))
    .where(eq(documents.id, documentId))
    .get();
  const encoding = current?.encoding ?? null;
  insertVersion(tx, { encoding, ...version, id, documentId, number, createdAt: now() });
  return id;
}

export function listReceiving(tx: Db): VersionRow[] {
  return tx.select().from(documentVersions).where(eq(documentVersions.state, "receiving")).all();
}

/** Deletes its parts, texts and jobs, too. */
export const deleteVersion = preparedDelete(documentVersions, "id");

export function pageVersions(tx: Db, documentId: string, limit: number, before?: number): VersionRow[] {
  return tx
    .select()
    .from(documentVersions)
    .where(
      and(
        eq(documentVersions.documentId, documentId),
        before === undefined ? undefined : lt(documentVersions.number, before),
      ),
    )
    .orderBy(desc(documentVersions.number))
    .limit(limit)
    .all();
}

export const findVersionByNumber = preparedFind(documentVersions, "documentId", "number");

export function findShownVersion(tx: Db, row: Pick<DocumentRow, "id" | "versionId">) {
  return tx
    .select()
    .from(documentVersions)
    .where(row.versionId ? eq(documentVersions.id, row.versionId) : eq(documentVersions.documentId, row.id))
    .orderBy(desc(documentVersions.number))
    .limit(1)
    .get();
}

/** Size and facts of versions, by id: what a list shows of each. */
export function listVersionFacts(tx: Db, ids: readonly string[]) {
  const { id, size, facts } = documentVersions;
  const rows = tx
    .select({ id, size, facts })
    .from(documentVersions)
    .where(inArray(id, [...ids]))
    .all();
  return new Map(rows.map((row) => [row.id, row]));
}

export type TextRow = typeof documentTexts.$inferSelect;

export function findTextRowByOffset(tx: Db, versionId: string, offset: number): TextRow | undefined {
  return tx
    .select()
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), lte(documentTexts.start, offset)))
    .orderBy(desc(documentTexts.position))
    .limit(1)
    .get();
}

export const findTextRowByPosition = preparedFind(documentTexts, "versionId", "position");

/** Where a piece of the text starts, without its text, which neighbors of a page don't need. */
export function findTextStart(tx: Db, versionId: string, position: number): number | undefined {
  return tx
    .select({ start: documentTexts.start })
    .from(documentTexts)
    .where(and(eq(documentTexts.versionId, versionId), eq(documentTexts.position, position)))
    .get()?.start;
}

export const findPart = preparedFind(documentParts, "versionId", "position");

export const insertPart = preparedInsert(documentParts);
export const insertText = preparedInsert(documentTexts);

export const insertRecognizedPage = preparedInsert(recognizedPages);

export function listRecognizedPages(tx: Db, versionId: string): number[] {
  return tx
    .select({ page: recognizedPages.page })
    .from(recognizedPages)
    .where(eq(recognizedPages.versionId, versionId))
    .all()
    .map(({ page }) => page);
}

/** Forgets which pages of a version had no text or couldn't be read. */
export function deleteEmptyPages(tx: Db, versionId: string): void {
  tx.delete(recognizedPages)
    .where(and(eq(recognizedPages.versionId, versionId), sql`coalesce(${recognizedPages.text}, '') = ''`))
    .run();
}

export const deletePart = preparedDelete(documentParts, "versionId", "position");
export const deleteText = preparedDelete(documentTexts, "versionId", "position");

export function countParts(tx: Db, versionId: string): number {
  const { versionId: version, position } = documentParts;
  const last = tx
    .select({ position: max(position) })
    .from(documentParts)
    .where(eq(version, versionId))
    .get();
  return (last?.position ?? -1) + 1;
}

export function countTexts(tx: Db, versionId: string): number {
  const { versionId: version, position } = documentTexts;
  const last = tx
    .select({ position: max(position) })
    .from(documentTexts)
    .where(eq(version, versionId))
    .get();
  return (last?.position ?? -1) + 1;
}
