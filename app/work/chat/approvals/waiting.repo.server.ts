import { and, eq, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { messages } from "~db/schema";

const waitingIn = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.status, "waiting"), eq(messages.conversationId, sql.placeholder("id"))))
    .prepare(),
);

export function listWaiting(tx: Db, conversationId: string): (typeof messages.$inferSelect)[] {
  return waitingIn(tx).all({ id: conversationId });
}
