import { and, asc, desc, eq, lt, max, ne, sql } from "drizzle-orm";
import { now } from "~/core/clock.server";
import { type Db, prepared, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { documents, documentVersions, isVisibleTo } from "~db/schema";

type DocumentRow = typeof documents.$inferSelect;
export type VersionRow = typeof documentVersions.$inferSelect;

const slot = sql.placeholder;

interface Viewer {
  orgId: string;
  userId: string;
}

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

function lastVersionNumber(tx: Db, documentId: string): number {
  return (
    tx
      .select({ last: max(documentVersions.number) })
      .from(documentVersions)
      .where(eq(documentVersions.documentId, documentId))
      .get()?.last ?? 0
  );
}

/** Inserts a version with the next number. @returns its id */
export function addVersion(
  tx: Db,
  documentId: string,
  version: Pick<VersionRow, "state" | "createdBy"> & Partial<VersionRow>,
): string {
  const id = newId("ver");
  const number = lastVersionNumber(tx, documentId) + 1;
  insertVersion(tx, { ...version, id, documentId, number, createdAt: now() });
  return id;
}

export function listReceiving(tx: Db): VersionRow[] {
  return tx.select().from(documentVersions).where(eq(documentVersions.state, "receiving")).all();
}

/** Deletes its parts, texts and jobs, too. */
export function deleteVersion(tx: Db, id: string): void {
  tx.delete(documentVersions).where(eq(documentVersions.id, id)).run();
}

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

export function findVersionByNumber(tx: Db, documentId: string, number: number): VersionRow | undefined {
  return tx
    .select()
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.number, number)))
    .get();
}

export function findShownVersion(tx: Db, row: Pick<DocumentRow, "id" | "versionId">) {
  return tx
    .select()
    .from(documentVersions)
    .where(row.versionId ? eq(documentVersions.id, row.versionId) : eq(documentVersions.documentId, row.id))
    .orderBy(desc(documentVersions.number))
    .limit(1)
    .get();
}
