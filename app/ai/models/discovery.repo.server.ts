import { and, asc, eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { discoveredModels } from "~db/schema";

type DiscoveredRow = typeof discoveredModels.$inferSelect;

export function listDiscoveredRows(db: Db, orgId: string): DiscoveredRow[] {
  return db
    .select()
    .from(discoveredModels)
    .where(eq(discoveredModels.orgId, orgId))
    .orderBy(asc(discoveredModels.hub), asc(discoveredModels.position))
    .all();
}

export function replaceDiscoveredRows(
  db: Db,
  { orgId, hub }: Pick<DiscoveredRow, "orgId" | "hub">,
  rows: readonly DiscoveredRow[],
): void {
  db.delete(discoveredModels)
    .where(and(eq(discoveredModels.orgId, orgId), eq(discoveredModels.hub, hub)))
    .run();
  for (const row of rows) db.insert(discoveredModels).values(row).run();
}

export function listDiscoveringOrgs(tx: Db): string[] {
  return tx
    .selectDistinct({ orgId: discoveredModels.orgId })
    .from(discoveredModels)
    .all()
    .map(({ orgId }) => orgId);
}
