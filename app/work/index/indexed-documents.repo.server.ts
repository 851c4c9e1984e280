import { and, asc, eq, gt, gte, inArray, isNotNull, lte, ne, or, sql } from "drizzle-orm";
import { type Db, prepared, preparedFind } from "~/core/db.server";
import { documentCategories, documents, documentTexts, documentVersions, isVisibleTo } from "~db/schema";

// What the index and its search read of the documents above them.

type DocumentRow = typeof documents.$inferSelect;

const slot = sql.placeholder;

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

/** The stored pieces that hold a range of a version's text, if the person sees the document. Offsets in characters. */
export function listTextsBetween(
  tx: Db,
  viewer: { orgId: string; userId: string },
  { documentId, version }: { documentId: string; version: number },
  from: number,
  to: number,
) {
  const { versionId, position, start, text, blocks } = documentTexts;
  const first = sql`coalesce((select max(t.position) from document_texts t
    where t.version_id = ${versionId} and t.start <= ${from}), 0)`;
  return tx
    .select({ start, text, blocks })
    .from(documentTexts)
    .innerJoin(documentVersions, eq(documentVersions.id, versionId))
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(
      and(
        eq(documentVersions.documentId, documentId),
        eq(documentVersions.number, version),
        byOrg(viewer.orgId),
        isVisibleTo(viewer.userId, documents.id),
        gte(position, first),
        lte(start, to),
      ),
    )
    .orderBy(asc(position))
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

export interface IndexedVersion {
  documentId: string;
  orgId: string;
  state: (typeof documentVersions.$inferSelect)["state"];
  name: string;
  title: string;
}

export function findIndexedVersion(db: Db, id: string): IndexedVersion | undefined {
  return version(db).get({ id });
}

export function listCategoryNames(tx: Db, orgId: string): string[] {
  const { name, position, id } = documentCategories;
  const rows = tx.select({ name }).from(documentCategories).where(eq(documentCategories.orgId, orgId));
  return rows
    .orderBy(asc(position), asc(id))
    .all()
    .map((row) => row.name);
}
