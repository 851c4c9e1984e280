import { and, asc, eq, isNull, lte, or } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { messages } from "~db/schema";
import type { MessageRow } from "../chat.repo.server";

/** The messages of a conversation that lead to one of them, that one included; empty where it is gone. */
export function listPathTo(tx: Db, conversationId: string, messageId: string): MessageRow[] {
  const last = tx
    .select({ position: messages.position })
    .from(messages)
    .where(and(eq(messages.conversationId, conversationId), eq(messages.id, messageId)))
    .get();
  if (!last) return [];
  return tx
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        lte(messages.position, last.position),
        // An answer may have been replaced since it was shared.
        or(isNull(messages.supersededAt), eq(messages.id, messageId)),
      ),
    )
    .orderBy(asc(messages.position))
    .all();
}
