import { eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { userSettings } from "~db/schema";

type UserSettingsRow = typeof userSettings.$inferSelect;

export function findUserSettings(db: Db, userId: string): UserSettingsRow | undefined {
  return db.select().from(userSettings).where(eq(userSettings.userId, userId)).get();
}

export function saveUserSettings(
  db: Db,
  userId: string,
  change: Partial<Pick<UserSettingsRow, "preferredModel" | "theme" | "enterSends" | "firstStepsHidden">>,
  updatedAt: number,
): void {
  db.insert(userSettings)
    .values({ userId, ...change, updatedAt })
    .onConflictDoUpdate({ target: userSettings.userId, set: { ...change, updatedAt } })
    .run();
}
