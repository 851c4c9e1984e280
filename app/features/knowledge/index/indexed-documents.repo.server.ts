import { and, asc, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { documents, documentVersions, searchIndexes } from "~db/schema";

const slot = sql.placeholder;

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

export interface IndexedVersion {
  documentId: string;
  state: (typeof documentVersions.$inferSelect)["state"];
  name: string;
  /** What it calls itself, or the document's name again. */
  title: string;
}

/** A version as far as an index needs to know it; nothing when it is gone. */
export function findIndexedVersion(db: Db, id: string): IndexedVersion | undefined {
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
