import { and, asc, desc, eq, exists, gt, inArray, isNotNull, isNull, lt, not, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { conversationFolders, conversations, messages } from "~db/schema";

interface Owner {
  orgId: string;
  userId: string;
}

const { id, title, updatedAt, pinnedAt, archivedAt } = conversations;
const isListed = and(
  eq(conversations.orgId, sql.placeholder("orgId")),
  eq(conversations.userId, sql.placeholder("userId")),
  isNull(conversations.comparisonId),
  isNull(conversations.deletedAt),
  isNull(archivedAt),
);

const navigationFields = {
  id,
  title,
  updatedAt,
  unreadAt: conversations.unreadAt,
  status: messages.status,
};

const pinnedOnes = prepared((db) =>
  db
    .select(navigationFields)
    .from(conversations)
    .leftJoin(messages, eq(messages.id, conversations.activeMessageId))
    .where(and(isListed, isNotNull(pinnedAt)))
    .orderBy(desc(updatedAt))
    .limit(sql.placeholder("limit"))
    .prepare(),
);
const newestOnes = prepared((db) =>
  db
    .select(navigationFields)
    .from(conversations)
    .leftJoin(messages, eq(messages.id, conversations.activeMessageId))
    .where(and(isListed, isNull(pinnedAt)))
    .orderBy(desc(updatedAt), desc(id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Pinned and recent conversations, each up to the limit. */
export function listForNavigation(tx: Db, { orgId, userId }: Owner, limit: number) {
  const values = { orgId, userId, limit };
  return { pinned: pinnedOnes(tx).all(values), newest: newestOnes(tx).all(values) };
}

export const listDeletedAt = (tx: Db, { orgId, userId }: Owner, at: number): string[] =>
  tx
    .select({ id })
    .from(conversations)
    .where(
      and(eq(conversations.orgId, orgId), eq(conversations.userId, userId), eq(conversations.deletedAt, at)),
    )
    .all()
    .map((row) => row.id);

export const findDeleted = (tx: Db, { orgId, userId }: Owner, conversationId: string) =>
  tx
    .select({ deletedAt: conversations.deletedAt })
    .from(conversations)
    .where(
      and(
        eq(id, conversationId),
        eq(conversations.orgId, orgId),
        eq(conversations.userId, userId),
        isNotNull(conversations.deletedAt),
      ),
    )
    .get();

/** Counts the time from now on of what a clock ahead deleted. */
export function mendDeletions(tx: Db, at: number): void {
  tx.update(conversations).set({ deletedAt: at }).where(gt(conversations.deletedAt, at)).run();
}

/** Whether conversations that were deleted before then wait for their purge. */
export const hasDeleted = (tx: Db, before: number): boolean =>
  tx.select({ id }).from(conversations).where(lt(conversations.deletedAt, before)).get() !== undefined;

/** Hard-deletes expired conversations. @returns how many */
export function purgeDeleted(tx: Db, before: number, limit: number): number {
  // An answer that is ending still needs its rows.
  const streaming = tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.conversationId, id), eq(messages.status, "streaming")));
  const rows = tx
    .select({ id })
    .from(conversations)
    .where(and(lt(conversations.deletedAt, before), not(exists(streaming))))
    .limit(limit)
    .all();
  const ids = rows.map((row) => row.id);
  return tx.delete(conversations).where(inArray(id, ids)).run().changes;
}

const ownFolder = ({ orgId, userId }: Owner) =>
  and(eq(conversationFolders.orgId, orgId), eq(conversationFolders.userId, userId));

export const listFolderRows = (tx: Db, owner: Owner) =>
  tx
    .select({ id: conversationFolders.id, name: conversationFolders.name })
    .from(conversationFolders)
    .where(ownFolder(owner))
    .orderBy(asc(sql`lower(${conversationFolders.name})`))
    .all();

export const findFolderRow = (tx: Db, owner: Owner, folderId: string) =>
  tx
    .select({ id: conversationFolders.id, name: conversationFolders.name })
    .from(conversationFolders)
    .where(and(ownFolder(owner), eq(conversationFolders.id, folderId)))
    .get();

export function insertFolder(tx: Db, row: typeof conversationFolders.$inferInsert): void {
  tx.insert(conversationFolders).values(row).run();
}

export function renameFolderRow(tx: Db, folderId: string, name: string): void {
  tx.update(conversationFolders).set({ name }).where(eq(conversationFolders.id, folderId)).run();
}

export function deleteFolderRow(tx: Db, folderId: string): void {
  tx.delete(conversationFolders).where(eq(conversationFolders.id, folderId)).run();
}
