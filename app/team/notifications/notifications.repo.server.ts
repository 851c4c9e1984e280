import { and, count, desc, eq, gt, gte, inArray, isNull, lt, notInArray, or } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { notifications } from "~db/schema";

export type NotificationRow = typeof notifications.$inferSelect;

/** @returns false for a duplicate key */
export function insertNotification(tx: Db, row: NotificationRow): boolean {
  return tx.insert(notifications).values(row).onConflictDoNothing().run().changes > 0;
}

/** Limited to current permissions. */
const ownRows = (userId: string, permissions: readonly string[]) =>
  and(eq(notifications.userId, userId), inArray(notifications.permission, [...permissions]));

/** Newest first, after a sort key. */
export function listNotificationRows(
  db: Db,
  userId: string,
  permissions: readonly string[],
  {
    unread,
    after,
    limit,
  }: { unread: boolean; after?: { at: number; id: string } | undefined; limit: number },
): NotificationRow[] {
  return db
    .select()
    .from(notifications)
    .where(
      and(
        ownRows(userId, permissions),
        unread ? isNull(notifications.readAt) : undefined,
        after &&
          or(
            lt(notifications.createdAt, after.at),
            and(eq(notifications.createdAt, after.at), lt(notifications.id, after.id)),
          ),
      ),
    )
    .orderBy(desc(notifications.createdAt), desc(notifications.id))
    .limit(limit)
    .all();
}

export function countUnreadRows(db: Db, userId: string, permissions: readonly string[]): number {
  return (
    db
      .select({ unread: count() })
      .from(notifications)
      .where(and(ownRows(userId, permissions), isNull(notifications.readAt)))
      .get()?.unread ?? 0
  );
}

export function findNotificationRow(
  db: Db,
  userId: string,
  permissions: readonly string[],
  id: string,
): NotificationRow | undefined {
  return db
    .select()
    .from(notifications)
    .where(and(ownRows(userId, permissions), eq(notifications.id, id)))
    .get();
}

export function setReadAt(tx: Db, userId: string, id: string, readAt: number | null): void {
  tx.update(notifications)
    .set({ readAt })
    .where(and(eq(notifications.userId, userId), eq(notifications.id, id)))
    .run();
}

/** Keys that begin with `subject:`. */
const keysOf = (column: typeof notifications.dedupeKey, subject: string) =>
  and(gte(column, `${subject}:`), lt(column, `${subject};`));

/** Replaces the texts of a subject's recent notifications. @returns the ids of their users */
export function replaceRecentTexts(
  tx: Db,
  {
    userIds,
    event,
    subject,
    since,
  }: { userIds: readonly string[]; event: string; subject: string; since: number },
  text: Pick<NotificationRow, "title" | "body" | "link">,
): string[] {
  return tx
    .update(notifications)
    .set(text)
    .where(
      and(
        inArray(notifications.userId, [...userIds]),
        eq(notifications.event, event),
        keysOf(notifications.dedupeKey, subject),
        gt(notifications.createdAt, since),
      ),
    )
    .returning({ userId: notifications.userId })
    .all()
    .map(({ userId }) => userId);
}

/** @returns false if none was unread */
export function markEventRead(
  tx: Db,
  { userId, event, dedupeKey }: Pick<NotificationRow, "userId" | "event" | "dedupeKey">,
  readAt: number,
): boolean {
  const own = and(
    eq(notifications.userId, userId),
    eq(notifications.event, event),
    eq(notifications.dedupeKey, dedupeKey),
  );
  return (
    tx
      .update(notifications)
      .set({ readAt })
      .where(and(own, isNull(notifications.readAt)))
      .run().changes > 0
  );
}

/** @returns how many were unread */
export function markAllRowsRead(tx: Db, userId: string, readAt: number): number {
  return tx
    .update(notifications)
    .set({ readAt })
    .where(and(eq(notifications.userId, userId), isNull(notifications.readAt)))
    .run().changes;
}

/** Deletes old rows, up to `limit`. @returns how many */
export function deleteOldNotifications(tx: Db, before: number, limit: number): number {
  const old = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(lt(notifications.createdAt, before))
    .limit(limit);
  return tx.delete(notifications).where(inArray(notifications.id, old)).run().changes;
}

/** Keeps the newest per person. */
export function deleteExcessNotifications(tx: Db, keep: number): void {
  const crowded = tx
    .select({ userId: notifications.userId, rows: count() })
    .from(notifications)
    .groupBy(notifications.userId)
    .all()
    .filter(({ rows }) => rows > keep);
  for (const { userId } of crowded) {
    const newest = tx
      .select({ id: notifications.id })
      .from(notifications)
      .where(eq(notifications.userId, userId))
      .orderBy(desc(notifications.createdAt), desc(notifications.id))
      .limit(keep);
    tx.delete(notifications)
      .where(and(eq(notifications.userId, userId), notInArray(notifications.id, newest)))
      .run();
  }
}
