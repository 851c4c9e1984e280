import { inArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { userSettings } from "~db/schema";

export type NotificationChoices = Readonly<Record<string, readonly string[]>>;

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
