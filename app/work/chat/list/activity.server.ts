import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { findActiveGeneration } from "../answer/answers.server";
import { findMessageStatus } from "../branches.repo.server";
import { type ConversationRow, updateConversation } from "../chat.repo.server";
import type { Activity } from "../chat.schema";
import { announceConversations } from "./announce.server";

interface Facts extends Pick<ConversationRow, "id" | "unreadAt"> {
  /** Of its last message. */
  status: string | null | undefined;
}

export function activityOf({ id, unreadAt, status }: Facts): Activity | null {
  if (findActiveGeneration(id)) return "running";
  if (status === "waiting") return "waiting";
  return unreadAt === null ? null : "unread";
}

export const activityOfRow = (row: ConversationRow): Activity | null =>
  activityOf({ ...row, status: findMessageStatus(db(), row.activeMessageId) });

/** For the owner only. */
export function markRead(actor: Actor, { id, activity }: { id: string; activity: Activity | null }): void {
  if (activity !== "unread") return;
  transaction((tx) => updateConversation(tx, id, { unreadAt: null }));
  announceConversations(actor);
}
