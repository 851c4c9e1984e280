import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { organisations, orgSettings, userSettings } from "~db/schema";

type UserSettingsRow = typeof userSettings.$inferSelect;
type OrgSettingsRow = Pick<typeof orgSettings.$inferSelect, "value" | "version" | "fieldVersions">;

/** Undefined before setup. */
export function findOrganisationId(db: Db): string | undefined {
  const query = db.select({ id: organisations.id }).from(organisations);
  return query.orderBy(asc(organisations.createdAt)).limit(1).get()?.id;
}

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

/** Undefined if never stored. */
export function findOrgSettings(db: Db, orgId: string, key: string): OrgSettingsRow | undefined {
  return db
    .select({
      value: orgSettings.value,
      version: orgSettings.version,
      fieldVersions: orgSettings.fieldVersions,
    })
    .from(orgSettings)
    .where(and(eq(orgSettings.orgId, orgId), eq(orgSettings.key, key)))
    .get();
}

/** Increments the version. */
export function saveOrgSettings(
  db: Db,
  row: { orgId: string; key: string; value: Record<string, unknown>; fieldVersions?: Record<string, number> },
  updatedAt: number,
): void {
  const { orgId, key, ...change } = row;
  db.insert(orgSettings)
    .values({ orgId, key, ...change, updatedAt })
    .onConflictDoUpdate({
      target: [orgSettings.orgId, orgSettings.key],
      set: { ...change, version: sql`${orgSettings.version} + 1`, updatedAt },
    })
    .run();
}
