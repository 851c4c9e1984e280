import { and, eq, inArray } from "drizzle-orm";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { messages } from "~db/schema";
import { closeOpenTools } from "../answer-state.schema";
import { type MessageRow, updateMessage } from "../chat.repo.server";
import { MessagePart } from "../chat.schema";

/** The answers of conversations that wait for approvals. */
export function listWaiting(tx: Db, conversationIds: readonly string[]): MessageRow[] {
  return tx
    .select()
    .from(messages)
    .where(and(eq(messages.status, "waiting"), inArray(messages.conversationId, [...conversationIds])))
    .all();
}

/** What a call says that was neither approved nor refused by itself. */
const NOT_APPROVED = "Not run: it was stopped, or another message was sent, before it was approved.";

/** Ends a conversation's answers that wait, with their calls refused. @returns how many there were */
export function refuseWaiting(tx: Db, conversationId: string): number {
  const waiting = listWaiting(tx, [conversationId]);
  for (const row of waiting) {
    const parts = closeOpenTools(MessagePart.array().catch([]).parse(row.parts), NOT_APPROVED);
    updateMessage(tx, row.id, { status: "stopped", parts, finishedAt: now() });
  }
  return waiting.length;
}
