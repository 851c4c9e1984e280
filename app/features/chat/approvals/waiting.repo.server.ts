import { and, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { messages } from "~db/schema";

/** The answers of a conversation that wait for approvals. */
export function listWaiting(tx: Db, conversationId: string): (typeof messages.$inferSelect)[] {
  return tx
    .select()
    .from(messages)
    .where(and(eq(messages.status, "waiting"), eq(messages.conversationId, conversationId)))
    .all();
}
