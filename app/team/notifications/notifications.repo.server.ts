import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  notInArray,
  or,
  type SQL,
} from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedUpdate } from "~/core/db.server";
import { notificationDeliveries, notifications, pushSubscriptions, userSettings } from "~db/schema";

export type NotificationRow = typeof notifications.$inferSelect;
export type DeliveryRow = typeof notificationDeliveries.$inferSelect;
type SubscriptionRow = typeof pushSubscriptions.$inferSelect;
export type NotificationChoices = Readonly<Record<string, readonly string[]>>;

/** @returns false for a duplicate key */
export function insertNotification(tx: Db, row: NotificationRow): boolean {
  return tx.insert(notifications).values(row).onConflictDoNothing().run().changes > 0;
}

/** Limited to current permissions. */
const ownRows = (userId: string, permissions: readonly string[]) =>
  and(eq(notifications.userId, userId), inArray(notifications.permission, [...permissions]));

interface NotificationPage {
  unread: boolean;
  after?: { at: number; id: string } | undefined;
  limit: number;
}

export function listNotificationRows(
  db: Db,
  userId: string,
  permissions: readonly string[],
  { unread, after, limit }: NotificationPage,
): NotificationRow[] {
  const { createdAt, id, readAt } = notifications;
  const isLater = after && or(lt(createdAt, after.at), and(eq(createdAt, after.at), lt(id, after.id)));
  return db
    .select()
    .from(notifications)
    .where(and(ownRows(userId, permissions), unread ? isNull(readAt) : undefined, isLater))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .all();
}

export function countUnreadRows(db: Db, userId: string, permissions: readonly string[]): number {
  const unread = and(ownRows(userId, permissions), isNull(notifications.readAt));
  return db.select({ rows: count() }).from(notifications).where(unread).get()?.rows ?? 0;
}

export function findNotificationRow(db: Db, userId: string, permissions: readonly string[], id: string) {
  const own = and(ownRows(userId, permissions), eq(notifications.id, id));
  return db.select().from(notifications).where(own).get();
}

export const updateNotification = preparedUpdate(notifications, "id");

interface RecentQuery {
  userIds: readonly string[];
  orgId: string;
  event: string;
  subject: string;
  since: number;
}

/** Rows of an event and a subject, whose keys begin with `subject:`, since a time. */
const isRecent = (
  { createdAt, dedupeKey, event }: typeof notifications | typeof notificationDeliveries,
  query: RecentQuery,
) =>
  and(
    eq(event, query.event),
    gte(dedupeKey, `${query.subject}:`),
    lt(dedupeKey, `${query.subject};`),
    gt(createdAt, query.since),
  );

/** Replaces the texts of recent notifications. @returns the ids of their users */
export function replaceRecentTexts(
  tx: Db,
  query: RecentQuery,
  text: Pick<NotificationRow, "title" | "body" | "link">,
): string[] {
  return tx
    .update(notifications)
    .set(text)
    .where(and(inArray(notifications.userId, [...query.userIds]), isRecent(notifications, query)))
    .returning({ userId: notifications.userId })
    .all()
    .map(({ userId }) => userId);
}

/** @param recipient null for shared channels */
export function hasRecentDelivery(db: Db, query: RecentQuery, recipient: string | null): boolean {
  const { id, orgId, userId } = notificationDeliveries;
  const to = recipient === null ? isNull(userId) : eq(userId, recipient);
  const recent = and(eq(orgId, query.orgId), to, isRecent(notificationDeliveries, query));
  return db.select({ id }).from(notificationDeliveries).where(recent).limit(1).get() !== undefined;
}

/** @returns how many were unread */
function markRowsRead(tx: Db, rows: SQL | undefined, readAt: number): number {
  const unread = and(rows, isNull(notifications.readAt));
  return tx.update(notifications).set({ readAt }).where(unread).run().changes;
}

/** @returns how many were unread */
export const markAllRowsRead = (tx: Db, userId: string, readAt: number): number =>
  markRowsRead(tx, eq(notifications.userId, userId), readAt);

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
  return markRowsRead(tx, own, readAt) > 0;
}

const deleteOldOf =
  (table: typeof notifications | typeof notificationDeliveries) =>
  (tx: Db, before: number, limit: number): number => {
    const old = tx.select({ id: table.id }).from(table).where(lt(table.createdAt, before)).limit(limit);
    return tx.delete(table).where(inArray(table.id, old)).run().changes;
  };
export const deleteOldNotifications = deleteOldOf(notifications);
export const deleteOldDeliveries = deleteOldOf(notificationDeliveries);

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

export function listChoices(db: Db, userIds: readonly string[]): ReadonlyMap<string, NotificationChoices> {
  const rows = db
    .select({ userId: userSettings.userId, choices: userSettings.notificationChannels })
    .from(userSettings)
    .where(inArray(userSettings.userId, [...userIds]))
    .all();
  return new Map(rows.flatMap(({ userId, choices }) => (choices ? [[userId, choices] as const] : [])));
}

export function saveChoices(
  tx: Db,
  userId: string,
  notificationChannels: Record<string, string[]>,
  updatedAt: number,
): void {
  tx.insert(userSettings)
    .values({ userId, notificationChannels, updatedAt })
    .onConflictDoUpdate({ target: userSettings.userId, set: { notificationChannels, updatedAt } })
    .run();
}

export function listSubscriptions(db: Db, userId: string): SubscriptionRow[] {
  return db
    .select()
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.userId, userId))
    .orderBy(asc(pushSubscriptions.createdAt))
    .all();
}

export const findSubscription = preparedFind(pushSubscriptions, "id");

/** One endpoint per browser; the last subscriber gets its pushes. */
export function upsertSubscription(tx: Db, row: SubscriptionRow): void {
  const { id: _, endpoint: __, ...change } = row;
  tx.insert(pushSubscriptions)
    .values(row)
    .onConflictDoUpdate({ target: pushSubscriptions.endpoint, set: change })
    .run();
}

export function deleteSubscription(tx: Db, userId: string, id: string): boolean {
  const own = and(eq(pushSubscriptions.userId, userId), eq(pushSubscriptions.id, id));
  return tx.delete(pushSubscriptions).where(own).run().changes > 0;
}

export const deleteSubscriptionsOfSession = preparedDelete(pushSubscriptions, "sessionId");

/** @returns false if already sent or queued */
export function insertDelivery(tx: Db, row: typeof notificationDeliveries.$inferInsert): boolean {
  return tx.insert(notificationDeliveries).values(row).onConflictDoNothing().run().changes > 0;
}

export const findDelivery = preparedFind(notificationDeliveries, "id");
export const updateDelivery = preparedUpdate(notificationDeliveries, "id");

export function listDeliveryRows(db: Db, orgId: string, limit: number): DeliveryRow[] {
  return db
    .select()
    .from(notificationDeliveries)
    .where(eq(notificationDeliveries.orgId, orgId))
    .orderBy(desc(notificationDeliveries.createdAt), desc(notificationDeliveries.id))
    .limit(limit)
    .all();
}
