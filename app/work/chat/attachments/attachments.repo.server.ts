import { and, asc, count, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { type Db, preparedInsert } from "~/core/db.server";
import { attachments, conversations } from "~db/schema";

export type AttachmentRow = typeof attachments.$inferSelect;

interface Scope {
  orgId: string;
  userId: string;
}

export const insertAttachment = preparedInsert(attachments);

const unsentOf = ({ orgId, userId }: Scope) =>
  and(eq(attachments.orgId, orgId), eq(attachments.userId, userId), isNull(attachments.conversationId));

export function findAttachment(tx: Db, scope: Scope, id: string): AttachmentRow | undefined {
  const row = tx
    .select()
    .from(attachments)
    .where(and(eq(attachments.id, id), eq(attachments.orgId, scope.orgId)))
    .get();
  if (!row) return undefined;
  if (row.conversationId === null) return row.userId === scope.userId ? row : undefined;
  const owned = tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.id, row.conversationId), eq(conversations.userId, scope.userId)))
    .get();
  return owned ? row : undefined;
}

export function listUnsent(tx: Db, scope: Scope): AttachmentRow[] {
  return tx.select().from(attachments).where(unsentOf(scope)).orderBy(asc(attachments.id)).all();
}

/** Unsent files, and their bytes in all. */
export function countUnsent(tx: Db, scope: Scope): { files: number; bytes: number } {
  const bytes = sql<number>`coalesce(sum(${attachments.size}), 0)`;
  const row = tx.select({ files: count(), bytes }).from(attachments).where(unsentOf(scope)).get();
  return row ?? { files: 0, bytes: 0 };
}

export function listOfConversation(tx: Db, conversationId: string): AttachmentRow[] {
  return tx
    .select()
    .from(attachments)
    .where(eq(attachments.conversationId, conversationId))
    .orderBy(asc(attachments.id))
    .all();
}

export function listAttachments(tx: Db, ids: readonly string[]): AttachmentRow[] {
  return tx
    .select()
    .from(attachments)
    .where(inArray(attachments.id, [...ids]))
    .all();
}

export function attachToConversation(tx: Db, ids: readonly string[], conversationId: string): void {
  tx.update(attachments)
    .set({ conversationId, userId: null })
    .where(inArray(attachments.id, [...ids]))
    .run();
}

export function deleteAttachment(tx: Db, id: string): void {
  tx.delete(attachments).where(eq(attachments.id, id)).run();
}

/** Deletes unsent uploads older than a time. */
export function deleteUnsent(tx: Db, before: number): void {
  tx.delete(attachments)
    .where(and(isNull(attachments.conversationId), lt(attachments.createdAt, before)))
    .run();
}

export function findReferencedBlobs(tx: Db, shas: readonly string[]): Set<string> {
  const digests = [...shas];
  const bytes = tx
    .select({ sha: attachments.sha })
    .from(attachments)
    .where(inArray(attachments.sha, digests))
    .all();
  const texts = tx
    .select({ sha: attachments.textSha })
    .from(attachments)
    .where(inArray(attachments.textSha, digests))
    .all();
  return new Set([...bytes, ...texts].flatMap(({ sha }) => sha ?? []));
}
