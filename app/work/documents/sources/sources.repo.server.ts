import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { documents, groupMembers, sourceFiles, sources } from "~db/schema";
import type { Viewer } from "../documents.repo.server";

export type SourceRow = typeof sources.$inferSelect;
export type SourceFileRow = typeof sourceFiles.$inferSelect;

export const insertSource = preparedInsert(sources);
export const findSource = preparedFind(sources, "id");
export const updateSourceRow = preparedUpdate(sources, "id");
export const deleteSourceRow = preparedDelete(sources, "id");
export const findFile = preparedFind(sourceFiles, "sourceId", "path");
export const deleteFile = preparedDelete(sourceFiles, "sourceId", "path");

/** As documents: everyone's, one's own, and those shared with the person or one of their groups. */
const visibleTo = ({ orgId, userId }: Viewer): SQL | undefined =>
  and(
    eq(sources.orgId, orgId),
    or(
      eq(sources.visibility, "organisation"),
      eq(sources.createdBy, userId),
      sql`exists (select 1 from json_each(${sources.readers}) reader where reader.value = ${userId}
        or reader.value in (select ${groupMembers.groupId} from ${groupMembers} where ${groupMembers.userId} = ${userId}))`,
    ),
  );

export function findVisibleSource(tx: Db, viewer: Viewer, id: string): SourceRow | undefined {
  return tx
    .select()
    .from(sources)
    .where(and(eq(sources.id, id), visibleTo(viewer)))
    .get();
}

export function listVisibleSources(tx: Db, viewer: Viewer): SourceRow[] {
  return tx.select().from(sources).where(visibleTo(viewer)).orderBy(asc(sources.name), asc(sources.id)).all();
}

export function countSources(tx: Db, orgId: string): number {
  return tx.select({ n: count() }).from(sources).where(eq(sources.orgId, orgId)).get()?.n ?? 0;
}

export function listKeyedSources(tx: Db, orgId: string): SourceRow[] {
  return tx
    .select()
    .from(sources)
    .where(and(eq(sources.orgId, orgId), isNotNull(sources.keyId)))
    .all();
}

export function listDueSources(tx: Db, at: number): SourceRow[] {
  return tx.select().from(sources).where(lte(sources.nextAt, at)).limit(1000).all();
}

type Owned = { orgId: string; userId: string; visibility: SourceRow["visibility"] };

const owned = ({ orgId, userId, visibility }: Owned) =>
  and(eq(sources.orgId, orgId), eq(sources.createdBy, userId), eq(sources.visibility, visibility));

export function countOwnedSources(tx: Db, of: Owned): number {
  return tx.select({ n: count() }).from(sources).where(owned(of)).get()?.n ?? 0;
}

export function listOwnedSources(tx: Db, of: Owned, limit: number): SourceRow[] {
  return tx.select().from(sources).where(owned(of)).limit(limit).all();
}

/** Adds a file, or changes the fields that are given. */
export function saveFile(
  tx: Db,
  key: Pick<SourceFileRow, "sourceId" | "path">,
  fields: Omit<typeof sourceFiles.$inferInsert, "sourceId" | "path">,
): void {
  tx.insert(sourceFiles)
    .values({ ...key, ...fields })
    .onConflictDoUpdate({ target: [sourceFiles.sourceId, sourceFiles.path], set: fields })
    .run();
}

export function updateFile(
  tx: Db,
  { sourceId, path }: Pick<SourceFileRow, "sourceId" | "path">,
  fields: Partial<SourceFileRow>,
): void {
  tx.update(sourceFiles)
    .set(fields)
    .where(and(eq(sourceFiles.sourceId, sourceId), eq(sourceFiles.path, path)))
    .run();
}

/** In the order of their paths. */
export function listFilesAfter(tx: Db, sourceId: string, path: string, limit: number): SourceFileRow[] {
  return tx
    .select()
    .from(sourceFiles)
    .where(and(eq(sourceFiles.sourceId, sourceId), gt(sourceFiles.path, path)))
    .orderBy(asc(sourceFiles.path))
    .limit(limit)
    .all();
}

/** Whether a sync has something to do although the place didn't change. */
export function hasUnsettledFiles(tx: Db, sourceId: string): boolean {
  const unsettled = or(
    eq(sourceFiles.state, "failed"),
    isNotNull(sourceFiles.missingSince),
    and(eq(sourceFiles.state, "skipped"), sql`${sourceFiles.etag} is null`),
  );
  const row = tx
    .select({ path: sourceFiles.path })
    .from(sourceFiles)
    .where(and(eq(sourceFiles.sourceId, sourceId), unsettled))
    .limit(1)
    .get();
  return row !== undefined;
}

/** Whether a source's listing can take away a document. */
export function hasDocuments(tx: Db, sourceId: string): boolean {
  const row = tx
    .select({ id: documents.id })
    .from(sourceFiles)
    .innerJoin(documents, eq(documents.id, sourceFiles.documentId))
    .where(
      and(eq(sourceFiles.sourceId, sourceId), ne(sourceFiles.state, "removed"), isNull(documents.deletedAt)),
    )
    .limit(1)
    .get();
  return row !== undefined;
}

/** A file's state: what its document couldn't be made of has failed, though the file itself was fetched. */
const shownState = sql<SourceFileRow["state"]>`case when ${sourceFiles.state} = 'current' and exists (select 1
  from documents d where d.id = ${sourceFiles.documentId} and d.status = 'failed' and d.deleted_at is null)
  then 'failed' else ${sourceFiles.state} end`;

/** Query of the files of sources: source, shown state, files, missing ones. */
export const countQuery = (tx: Db, sourceIds: readonly string[]): { sql: string; params: unknown[] } =>
  tx
    .select({
      sourceId: sourceFiles.sourceId,
      state: shownState,
      files: count(),
      missing: count(sourceFiles.missingSince),
    })
    .from(sourceFiles)
    .where(inArray(sourceFiles.sourceId, [...sourceIds]))
    .groupBy(sourceFiles.sourceId, shownState)
    .toSQL();

const rowNumber = sql<number>`${sourceFiles}.rowid`;

/** Last changed first. Documents that the viewer can't see, or that are deleted, are left out of their rows. */
export function listFiles(
  tx: Db,
  viewer: Viewer,
  {
    sourceId,
    state,
    after,
    limit,
  }: {
    sourceId: string;
    state: SourceFileRow["state"] | undefined;
    after: { changedAt: number; row: number } | undefined;
    limit: number;
  },
) {
  return tx
    .select({
      file: sourceFiles,
      row: rowNumber,
      state: shownState,
      error: documents.error,
      document: { id: documents.id, name: documents.name },
    })
    .from(sourceFiles)
    .leftJoin(
      documents,
      and(
        eq(documents.id, sourceFiles.documentId),
        sql`exists (select 1 from document_viewers v where v.document_id = ${documents.id} and v.user_id in ('*', ${viewer.userId}))`,
      ),
    )
    .where(
      and(
        eq(sourceFiles.sourceId, sourceId),
        state && eq(shownState, state),
        after && sql`(${sourceFiles.changedAt}, ${rowNumber}) < (${after.changedAt}, ${after.row})`,
      ),
    )
    .orderBy(desc(sourceFiles.changedAt), desc(rowNumber))
    .limit(limit)
    .all();
}

/** The file that a document follows. */
export function findOrigin(
  tx: Db,
  documentId: string,
): { id: string; name: string; path: string; link: string | null } | undefined {
  return tx
    .select({ id: sources.id, name: sources.name, path: sourceFiles.path, link: sourceFiles.link })
    .from(sourceFiles)
    .innerJoin(sources, eq(sources.id, sourceFiles.sourceId))
    .where(eq(sourceFiles.documentId, documentId))
    .get();
}
