import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  max,
  min,
  notExists,
  or,
  sql,
} from "drizzle-orm";
import {
  type Db,
  prepared,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
  preparedUpdate,
} from "~/core/db.server";
import {
  conversationFolderMembers,
  conversationFolders,
  documentCategories,
  documentReaderGroups,
  documentReaders,
  documents,
  groups,
  isSharedWith,
  jobs,
} from "~db/schema";
import type { DocumentRow, Viewer } from "./documents.repo.server";

const slot = sql.placeholder;

export const insertDocument = preparedInsert(documents);
export const updateDocumentRow = preparedUpdate(documents, "id");
export const findDocumentRow = preparedFind(documents, "id");

export function listDueDocuments(tx: Db, at: number, limit: number): DocumentRow[] {
  return tx
    .select()
    .from(documents)
    .where(
      and(
        isNotNull(documents.refreshEvery),
        lte(documents.refreshAt, at),
        // The plus keeps SQLite from using another index (https://sqlite.org/optoverview.html).
        sql`+${documents.deletedAt} IS NULL`,
      ),
    )
    .orderBy(asc(documents.refreshAt))
    .limit(limit)
    .all();
}

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

/** Earliest deletion time after `after`, in ms since the epoch. */
export function nextDeletedAt(tx: Db, after: number): number | undefined {
  const next = tx
    .select({ at: min(documents.deletedAt) })
    .from(documents)
    .where(gt(documents.deletedAt, after))
    .get();
  return next?.at ?? undefined;
}

/** Counts the time from now on of what a clock ahead deleted. */
export function mendDeletions(tx: Db, at: number): void {
  tx.update(documents).set({ deletedAt: at }).where(gt(documents.deletedAt, at)).run();
}

/** Whether documents that were deleted until `before` wait for their purge. */
export function hasDeletedDocuments(tx: Db, before: number): boolean {
  return (
    tx.select({ id: documents.id }).from(documents).where(lte(documents.deletedAt, before)).get() !==
    undefined
  );
}

/** Deleted documents that are due for purging, without those in progress or with a recent failure. */
export function listDeletedDocuments(
  tx: Db,
  { before, failedSince, limit }: { before: number; failedSince: number; limit: number },
): DocumentRow[] {
  const blockingJobs = tx
    .select({ one: sql`1` })
    .from(jobs)
    .where(
      and(
        sql`${jobs.subject} = 'document:' || ${documents.id}`,
        or(
          inArray(jobs.state, ["scheduled", "queued", "running"]),
          and(
            inArray(jobs.kind, ["documents.purge", "documents.update"]),
            eq(jobs.state, "failed"),
            gt(jobs.finishedAt, failedSince),
          ),
        ),
      ),
    );
  return tx
    .select()
    .from(documents)
    .where(and(isNotNull(documents.deletedAt), lte(documents.deletedAt, before), notExists(blockingJobs)))
    .orderBy(asc(documents.deletedAt))
    .limit(limit)
    .all();
}

/** A document that was taken out of another one. @param of its parent and its path in it */
export function findInnerDocument(
  tx: Db,
  { parentId, source }: { parentId: string; source: string },
): { id: string } | undefined {
  return tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(eq(documents.parentId, parentId), eq(documents.source, source), isNull(documents.deletedAt)))
    .get();
}

export function moveInnerDocuments(tx: Db, from: string, to: string): void {
  tx.update(documents).set({ parentId: to }).where(eq(documents.parentId, from)).run();
}

export const deleteDocumentRow = preparedDelete(documents, "id");

/** The rule of the `document_viewers` view, which leaves out deleted documents. */
const wasVisibleTo = ({ orgId, userId }: Viewer) =>
  and(
    byId(orgId),
    or(
      eq(documents.visibility, "organisation"),
      eq(documents.createdBy, userId),
      isSharedWith(userId, documents.id),
    ),
  );

export function findDeletedRow(tx: Db, viewer: Viewer, id: string): DocumentRow | undefined {
  return tx
    .select()
    .from(documents)
    .where(and(eq(documents.id, id), isNotNull(documents.deletedAt), wasVisibleTo(viewer)))
    .get();
}

export function listDeletedAt(tx: Db, viewer: Viewer, deletedAt: number): DocumentRow[] {
  return tx
    .select()
    .from(documents)
    .where(and(eq(documents.deletedAt, deletedAt), wasVisibleTo(viewer)))
    .all();
}

interface DeletedFilter {
  since: number;
  /** Everyone's if undefined. */
  createdBy: string | undefined;
  before: { deletedAt: number; id: string } | undefined;
  limit: number;
}

/** Documents deleted after `since`, last deleted first. */
export function listDeletedSince(
  tx: Db,
  viewer: Viewer,
  { since, createdBy, before, limit }: DeletedFilter,
): { id: string; name: string; deletedAt: number }[] {
  const { deletedAt, id, name } = documents;
  return tx
    .select({ id, name, deletedAt: sql<number>`${deletedAt}` })
    .from(documents)
    .where(
      and(
        gt(deletedAt, since),
        wasVisibleTo(viewer),
        createdBy === undefined ? undefined : eq(documents.createdBy, createdBy),
        before && sql`(${deletedAt}, ${id}) < (${before.deletedAt}, ${before.id})`,
      ),
    )
    .orderBy(desc(deletedAt), desc(id))
    .limit(limit)
    .all();
}

/** Gap between new positions: sixteen insertions fit before neighbors must move. */
export const POSITION_GAP = 65_536;

const lastPosition = prepared((db) =>
  db
    .select({ at: max(documents.orderIndex) })
    .from(documents)
    .where(and(eq(documents.orgId, slot("orgId")), eq(documents.categoryId, slot("categoryId"))))
    .prepare(),
);

export function nextOrderIndex(tx: Db, orgId: string, categoryId: string): number {
  return (lastPosition(tx).get({ orgId, categoryId })?.at ?? 0) + POSITION_GAP;
}

/** Moves all documents of a category, including hidden and deleted ones. @returns how many */
export function moveToCategory(tx: Db, orgId: string, from: string, to: string): number {
  const orderIndex = sql`${documents.orderIndex} + ${nextOrderIndex(tx, orgId, to)}`;
  const all = and(eq(documents.orgId, orgId), eq(documents.categoryId, from));
  return tx.update(documents).set({ categoryId: to, orderIndex }).where(all).run().changes;
}

interface Owned {
  orgId: string;
  userId: string;
  visibility: "organisation" | "named";
}

const owned = ({ orgId, userId, visibility }: Owned) =>
  and(
    eq(documents.orgId, orgId),
    eq(documents.createdBy, userId),
    eq(documents.visibility, visibility),
    isNull(documents.deletedAt),
    // A project's files go with it.
    isNull(documents.folderId),
  );

export function countOwnedDocuments(tx: Db, of: Owned): number {
  return tx.select({ n: count() }).from(documents).where(owned(of)).get()?.n ?? 0;
}

export function listOwnedDocuments(tx: Db, of: Owned, limit: number): string[] {
  const rows = tx.select({ id: documents.id }).from(documents).where(owned(of)).limit(limit).all();
  return rows.map(({ id }) => id);
}

export const hasFolder = preparedHas(conversationFolders, "id");

/** Whether a person is a project's owner or an editor of it. */
export function editsFolder(tx: Db, folderId: string, userId: string): boolean {
  const { id, userId: ownerId } = conversationFolders;
  const members = conversationFolderMembers;
  const isEditor = and(eq(members.folderId, id), eq(members.userId, userId), eq(members.role, "editor"));
  const editor = tx.select({ id: members.userId }).from(members).where(isEditor);
  const found = tx
    .select({ id })
    .from(conversationFolders)
    .where(and(eq(id, folderId), or(eq(ownerId, userId), exists(editor))))
    .get();
  return found !== undefined;
}

export const listOfFolder = (tx: Db, folderId: string): string[] =>
  tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(eq(documents.folderId, folderId), isNull(documents.deletedAt)))
    .all()
    .map(({ id }) => id);

export function changeCreator(tx: Db, ids: readonly string[], createdBy: string): void {
  tx.update(documents)
    .set({ createdBy })
    .where(inArray(documents.id, [...ids]))
    .run();
}

export function hideDocuments(tx: Db, ids: readonly string[], deletedAt: number): void {
  tx.update(documents)
    .set({ deletedAt })
    .where(inArray(documents.id, [...ids]))
    .run();
}

/** The plus makes SQLite look up by id instead of sorting all documents of the organization. */
const byId = (orgId: string) => sql`+${documents.orgId} = ${orgId}`;

export function listReaders(tx: Db, documentId: string): string[] {
  const { userId } = documentReaders;
  const { groupId } = documentReaderGroups;
  const members = tx
    .select({ id: userId })
    .from(documentReaders)
    .where(eq(documentReaders.documentId, documentId));
  const inGroups = tx
    .select({ id: groupId })
    .from(documentReaderGroups)
    .where(eq(documentReaderGroups.documentId, documentId));
  return [...inGroups.all(), ...members.all()].map(({ id }) => id);
}

export function replaceReaders(tx: Db, documentId: string, ids: readonly string[]): void {
  tx.delete(documentReaders).where(eq(documentReaders.documentId, documentId)).run();
  tx.delete(documentReaderGroups).where(eq(documentReaderGroups.documentId, documentId)).run();
  const rows = tx
    .select({ id: groups.id })
    .from(groups)
    .where(inArray(groups.id, [...ids]))
    .all();
  const groupIds = new Set(rows.map(({ id }) => id));
  for (const id of ids) {
    if (groupIds.has(id)) tx.insert(documentReaderGroups).values({ documentId, groupId: id }).run();
    else tx.insert(documentReaders).values({ documentId, userId: id }).run();
  }
}

export type CategoryRow = typeof documentCategories.$inferSelect;

const categoryRows = prepared((db) =>
  db
    .select()
    .from(documentCategories)
    .where(eq(documentCategories.orgId, slot("orgId")))
    .orderBy(asc(documentCategories.position), asc(documentCategories.id))
    .prepare(),
);

export function listCategoryRows(tx: Db, orgId: string): CategoryRow[] {
  return categoryRows(tx).all({ orgId });
}

export function insertCategories(tx: Db, rows: CategoryRow[]): void {
  tx.insert(documentCategories).values(rows).run();
}

export const updateCategoryRow = preparedUpdate(documentCategories, "id");
export const deleteCategoryRow = preparedDelete(documentCategories, "id");
