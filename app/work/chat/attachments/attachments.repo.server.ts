import { and, asc, eq, inArray, isNull, lt } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedHas, preparedInsert } from "~/core/db.server";
import { attachments, conversations } from "~db/schema";
import type { Owner } from "../chat.repo.server";

export type AttachmentRow = typeof attachments.$inferSelect;

export const insertAttachment = preparedInsert(attachments);

const unsentOf = ({ orgId, userId }: Owner) =>
  and(eq(attachments.orgId, orgId), eq(attachments.userId, userId), isNull(attachments.conversationId));

const attachmentById = preparedFind(attachments, "id", "orgId");
const hasConversation = preparedHas(conversations, "id", "userId");

export function findAttachment(tx: Db, owner: Owner, id: string): AttachmentRow | undefined {
  const row = attachmentById(tx, id, owner.orgId);
  if (!row) return undefined;
  const { conversationId, userId } = row;
  const isOwn =
    conversationId === null ? userId === owner.userId : hasConversation(tx, conversationId, owner.userId);
  return isOwn ? row : undefined;
}

export function listUnsent(tx: Db, owner: Owner): AttachmentRow[] {
  return tx.select().from(attachments).where(unsentOf(owner)).orderBy(asc(attachments.id)).all();
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

export const deleteAttachment = preparedDelete(attachments, "id");

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
