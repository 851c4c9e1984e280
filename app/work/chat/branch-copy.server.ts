import { TrimmedContext } from "~/ai/tools/answer-stream.schema";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { insertAttachment, listOfConversation } from "./attachments/attachments.repo.server";
import { AttachmentPart } from "./attachments/attachments.schema";
import { listBranch } from "./branches.repo.server";
import { type ConversationRow, insertConversation, insertMessage } from "./chat.repo.server";

/** Gives a copied conversation its own attachments of the same files. @returns the parts with new ids */
function copyAttachments(tx: Db, from: string, conversationId: string): (parts: unknown[]) => unknown[] {
  const rows = new Map(listOfConversation(tx, from).map((row) => [row.id, row]));
  const copies = new Map<string, string>();
  const copyOf = (id: string): string => {
    const row = rows.get(id);
    const present = copies.get(id);
    if (!row || present) return present ?? id;
    const copy = newId("att");
    insertAttachment(tx, { ...row, id: copy, conversationId });
    copies.set(id, copy);
    return copy;
  };
  return (parts) =>
    parts.map((part) => {
      const { data } = AttachmentPart.safeParse(part);
      return data ? { ...data, id: copyOf(data.id) } : part;
    });
}

/**
 * Copies a branch into a new, independent conversation.
 * @param changes fields of the new conversation, with its id
 * @param end the last message to copy; defaults to the end of the active branch
 * @throws AppError `conflict` while an answer of the branch is being written
 */
export function copyBranch(
  tx: Db,
  from: ConversationRow,
  changes: Partial<ConversationRow> & { id: string },
  end = from.activeMessageId,
): void {
  const rows = listBranch(tx, end);
  if (rows.some(({ status }) => status === "streaming" || status === "waiting")) {
    throw new AppError("conflict", "The answer is still being written. Wait for it or stop it.");
  }
  const at = now();
  insertConversation(tx, {
    ...from,
    // The restricted mark is copied; the permission to share isn't.
    sharingAllowedAt: null,
    toolApprovals: {},
    activeMessageId: null,
    lastEventId: 0,
    createdAt: at,
    updatedAt: at,
    ...changes,
  });
  const copyParts = copyAttachments(tx, from.id, changes.id);
  const ids = new Map(rows.map((row) => [row.id, newId("msg")]));
  for (const [position, { parentId: _, ...row }] of rows.entries()) {
    const { metrics } = row;
    const trimmed = TrimmedContext.safeParse(metrics?.trimmed).data;
    const firstSentId = ids.get(trimmed?.firstSentId ?? "");
    insertMessage(tx, {
      ...row,
      id: ids.get(row.id) ?? newId("msg"),
      conversationId: changes.id,
      position,
      parts: copyParts(row.parts),
      metrics: metrics && { ...metrics, trimmed: trimmed && firstSentId && { ...trimmed, firstSentId } },
    });
  }
}
