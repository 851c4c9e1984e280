import { and, asc, count, eq, exists, gte, isNull, lt, not } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { conversationImports, conversations, importedConversations } from "~db/schema";
import { isIdle } from "../chat.repo.server";

/** An imported conversation has the times of its export; its import counts as a use. */
function isUntouched(tx: Db, before: number) {
  const imported = tx
    .select({ id: importedConversations.conversationId })
    .from(importedConversations)
    .innerJoin(conversationImports, eq(conversationImports.id, importedConversations.importId))
    .where(
      and(
        eq(importedConversations.conversationId, conversations.id),
        gte(conversationImports.createdAt, before),
      ),
    );
  return and(lt(conversations.updatedAt, before), not(exists(imported)));
}

/** Not deleted, untouched since a time, and without an answer that runs or waits for an approval. */
const isExpired = (tx: Db, orgId: string, before: number) =>
  and(
    eq(conversations.orgId, orgId),
    isNull(conversations.deletedAt),
    isNull(conversations.comparisonId),
    isUntouched(tx, before),
    isIdle(tx, ["streaming", "waiting"]),
  );

/** Oldest first. */
export const listExpired = (tx: Db, orgId: string, before: number, limit: number) =>
  tx
    .select({ id: conversations.id, userId: conversations.userId })
    .from(conversations)
    .where(isExpired(tx, orgId, before))
    .orderBy(asc(conversations.updatedAt))
    .limit(limit)
    .all();

export const countExpiredRows = (tx: Db, orgId: string, before: number): number =>
  tx
    .select({ n: count() })
    .from(conversations)
    .where(isExpired(tx, orgId, before))
    .get()?.n ?? 0;
