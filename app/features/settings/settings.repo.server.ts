import { and, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { orgSettings, userSettings } from "~db/schema";

type UserSettingsRow = typeof userSettings.$inferSelect;

export function findUserSettings(db: Db, userId: string): UserSettingsRow | undefined {
  return db.select().from(userSettings).where(eq(userSettings.userId, userId)).get();
}

export function saveUserSettings(
  db: Db,
  userId: string,
  change: Partial<Pick<UserSettingsRow, "preferredModel" | "theme">>,
  updatedAt: number,
): void {
  db.insert(userSettings)
    .values({ userId, ...change, updatedAt })
    .onConflictDoUpdate({ target: userSettings.userId, set: { ...change, updatedAt } })
    .run();
}

/** One group of the organisation's settings as it was stored; empty when it never was. */
export function findOrgSettings(db: Db, orgId: string, key: string): Record<string, unknown> {
  const row = db
    .select({ value: orgSettings.value })
    .from(orgSettings)
    .where(and(eq(orgSettings.orgId, orgId), eq(orgSettings.key, key)))
    .get();
  return row?.value ?? {};
}

export function saveOrgSettings(
  db: Db,
  orgId: string,
  key: string,
  value: Record<string, unknown>,
  updatedAt: number,
): void {
  db.insert(orgSettings)
    .values({ orgId, key, value, updatedAt })
    .onConflictDoUpdate({ target: [orgSettings.orgId, orgSettings.key], set: { value, updatedAt } })
    .run();
}
