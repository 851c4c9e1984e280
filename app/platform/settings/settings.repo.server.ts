import { asc, sql } from "drizzle-orm";
import { type Db, preparedFind } from "~/core/db.server";
import { organisations, orgSettings } from "~db/schema";

export function findOrganisationId(db: Db): string | undefined {
  const query = db.select({ id: organisations.id }).from(organisations);
  return query.orderBy(asc(organisations.createdAt)).limit(1).get()?.id;
}

export const findOrgSettings = preparedFind(orgSettings, "orgId", "key");

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
