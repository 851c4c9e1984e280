import { and, desc, eq, gt, gte, inArray, lt } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { notificationDeliveries } from "~db/schema";

export type DeliveryRow = typeof notificationDeliveries.$inferSelect;

/** @returns false if already sent or queued */
export function insertDelivery(tx: Db, row: typeof notificationDeliveries.$inferInsert): boolean {
  return tx.insert(notificationDeliveries).values(row).onConflictDoNothing().run().changes > 0;
}

/** Whether an event's subject was sent since a time. */
export function hasRecentDelivery(
  db: Db,
  { orgId, event, subject, since }: { orgId: string; event: string; subject: string; since: number },
): boolean {
  const { dedupeKey } = notificationDeliveries;
  const rows = db
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.orgId, orgId),
        eq(notificationDeliveries.event, event),
        gte(dedupeKey, `${subject}:`),
        lt(dedupeKey, `${subject};`),
        gt(notificationDeliveries.createdAt, since),
      ),
    )
    .limit(1)
    .get();
  return rows !== undefined;
}

export function findDelivery(db: Db, id: string): DeliveryRow | undefined {
  return db.select().from(notificationDeliveries).where(eq(notificationDeliveries.id, id)).get();
}

export function updateDelivery(
  tx: Db,
  id: string,
  change: Partial<Pick<DeliveryRow, "state" | "attempts" | "error" | "finishedAt">>,
): void {
  tx.update(notificationDeliveries).set(change).where(eq(notificationDeliveries.id, id)).run();
}

export function listDeliveryRows(db: Db, orgId: string, limit: number): DeliveryRow[] {
  return db
    .select()
    .from(notificationDeliveries)
    .where(eq(notificationDeliveries.orgId, orgId))
    .orderBy(desc(notificationDeliveries.createdAt), desc(notificationDeliveries.id))
    .limit(limit)
    .all();
}

/** Deletes old rows, up to `limit`. @returns how many */
export function deleteOldDeliveries(tx: Db, before: number, limit: number): number {
  const old = tx
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(lt(notificationDeliveries.createdAt, before))
    .limit(limit);
  return tx.delete(notificationDeliveries).where(inArray(notificationDeliveries.id, old)).run().changes;
}
