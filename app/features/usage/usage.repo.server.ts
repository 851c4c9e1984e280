import { and, eq, inArray } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { usageRecords } from "~db/schema";

export type UsageRow = typeof usageRecords.$inferSelect;

export function insertUsage(db: Db, row: UsageRow): void {
  db.insert(usageRecords).values(row).run();
}

export function listUsageByIds(db: Db, orgId: string, ids: readonly string[]): UsageRow[] {
  if (ids.length === 0) return [];
  return db
    .select()
    .from(usageRecords)
    .where(and(eq(usageRecords.orgId, orgId), inArray(usageRecords.id, [...ids])))
    .all();
}
