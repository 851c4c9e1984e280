import { and, asc, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { pushSubscriptions } from "~db/schema";

export type SubscriptionRow = typeof pushSubscriptions.$inferSelect;

export function listSubscriptions(db: Db, userId: string): SubscriptionRow[] {
  return db
    .select()
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.userId, userId))
    .orderBy(asc(pushSubscriptions.createdAt))
    .all();
}

export const listSubscriptionIds = (db: Db, userId: string): string[] =>
  listSubscriptions(db, userId).map(({ id }) => id);

export function findSubscription(db: Db, id: string): SubscriptionRow | undefined {
  return db.select().from(pushSubscriptions).where(eq(pushSubscriptions.id, id)).get();
}

/** One endpoint per browser; the last subscriber gets its pushes. */
export function upsertSubscription(tx: Db, row: SubscriptionRow): void {
  const { id: _, endpoint: __, ...change } = row;
  tx.insert(pushSubscriptions)
    .values(row)
    .onConflictDoUpdate({ target: pushSubscriptions.endpoint, set: change })
    .run();
}

export function deleteSubscription(tx: Db, userId: string, id: string): boolean {
  return (
    tx
      .delete(pushSubscriptions)
      .where(and(eq(pushSubscriptions.userId, userId), eq(pushSubscriptions.id, id)))
      .run().changes > 0
  );
}

export function deleteSubscriptionsOfSession(tx: Db, sessionId: string): void {
  tx.delete(pushSubscriptions).where(eq(pushSubscriptions.sessionId, sessionId)).run();
}
