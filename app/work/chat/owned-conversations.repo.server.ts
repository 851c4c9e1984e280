import { and, count, eq, exists, inArray, isNotNull, isNull, not, or } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { comparisons, conversationFolders, conversations, messages } from "~db/schema";
import { belongsTo, isIdle, type Owner } from "./chat.repo.server";

const ownComparisons = ({ orgId, userId }: Owner) =>
  and(eq(comparisons.orgId, orgId), eq(comparisons.userId, userId));

/** Including comparisons, whose columns are conversations too. */
export function countOwned(tx: Db, owner: Owner): number {
  const standalone = tx
    .select({ n: count() })
    .from(conversations)
    .where(and(belongsTo(owner), isNull(conversations.comparisonId)))
    .get();
  const compared = tx.select({ n: count() }).from(comparisons).where(ownComparisons(owner)).get();
  return (standalone?.n ?? 0) + (compared?.n ?? 0);
}

/** Deletes idle conversations with their messages. @returns how many */
export function deleteConversations(tx: Db, owner: Owner, limit: number, onlyRestricted = false): number {
  const { id, restrictedAt } = conversations;
  const isMeant = onlyRestricted ? isNotNull(restrictedAt) : undefined;
  const rows = tx
    .select({ id })
    .from(conversations)
    .where(and(belongsTo(owner), isMeant, isIdle(tx)))
    .limit(limit)
    .all();
  const ids = rows.map((row) => row.id);
  return tx.delete(conversations).where(inArray(id, ids)).run().changes;
}

export function deleteEmptyComparisons(tx: Db, owner: Owner): number {
  const column = tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.comparisonId, comparisons.id));
  return tx
    .delete(comparisons)
    .where(and(ownComparisons(owner), not(exists(column))))
    .run().changes;
}

export function listUnmarked(tx: Db, owner: Owner, limit: number): string[] {
  return tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(belongsTo(owner), isNull(conversations.restrictedAt)))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

export const listParts = (tx: Db, conversationId: string): unknown[] =>
  tx
    .select({ parts: messages.parts })
    .from(messages)
    .where(eq(messages.conversationId, conversationId))
    .all()
    .map(({ parts }) => parts);

export function markRestricted(tx: Db, ids: string[], at: number): void {
  tx.update(conversations).set({ restrictedAt: at }).where(inArray(conversations.id, ids)).run();
}

export const deleteFolders = (tx: Db, { orgId, userId }: Owner): number =>
  tx
    .delete(conversationFolders)
    .where(and(eq(conversationFolders.orgId, orgId), eq(conversationFolders.userId, userId)))
    .run().changes;

/** Transfers conversations, and comparisons as a whole. @returns how many rows changed */
export function changeOwner(tx: Db, owner: Owner, userId: string, ids: string[]): number {
  const moved = tx
    .update(conversations)
    .set({ userId, folderId: null })
    .where(inArray(conversations.id, ids))
    .run();
  const mixed = tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.comparisonId, comparisons.id),
        or(isNotNull(conversations.restrictedAt), eq(conversations.userId, owner.userId)),
      ),
    );
  const compared = tx
    .update(comparisons)
    .set({ userId })
    .where(and(ownComparisons(owner), not(exists(mixed))))
    .run();
  return moved.changes + compared.changes;
}
