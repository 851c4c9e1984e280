import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { organisations, orgSettings } from "~db/schema";

type OrgSettingsRow = Pick<typeof orgSettings.$inferSelect, "value" | "version" | "fieldVersions">;

export function findOrganisationId(db: Db): string | undefined {
  const query = db.select({ id: organisations.id }).from(organisations);
  return query.orderBy(asc(organisations.createdAt)).limit(1).get()?.id;
}

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
