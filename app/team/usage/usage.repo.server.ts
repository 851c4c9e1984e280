import { and, desc, eq, gt, gte, inArray, lte, ne, sql } from "drizzle-orm";
import { type Db, preparedInsert } from "~/core/db.server";
import { usageRecords } from "~db/schema";

/** For a read thread. */
export function sumUntilQuery(db: Db, scope: { orgId: string; day: string; after: number; until: number }) {
  const { costMicros, createdAt, day, inputTokens, orgId, outputTokens } = usageRecords;
  return db
    .select({
      tokens: sql<number>`coalesce(sum(coalesce(${inputTokens}, 0) + coalesce(${outputTokens}, 0)), 0)`,
      costMicros: sql<number>`coalesce(sum(${costMicros}), 0)`,
    })
    .from(usageRecords)
    .where(
      and(
        eq(orgId, scope.orgId),
        eq(day, scope.day),
        gt(createdAt, scope.after),
        lte(createdAt, scope.until),
      ),
    )
    .toSQL();
}

export function hasModelUsage(db: Db, orgId: string): boolean {
  return (
    db
      .select({ id: usageRecords.id })
      .from(usageRecords)
      .where(and(eq(usageRecords.orgId, orgId), ne(usageRecords.model, "")))
      .limit(1)
      .get() !== undefined
  );
}

export type UsageRow = typeof usageRecords.$inferSelect;

export const insertUsage = preparedInsert(usageRecords);

/** Newest first. */
export function listProviderUsage(db: Db, providerId: string, since: number, limit: number): UsageRow[] {
  return db
    .select()
    .from(usageRecords)
    .where(and(eq(usageRecords.providerId, providerId), gte(usageRecords.createdAt, since)))
    .orderBy(desc(usageRecords.createdAt))
    .limit(limit)
    .all();
}

export function listUsageByIds(db: Db, orgId: string, ids: readonly string[]): UsageRow[] {
  if (ids.length === 0) return [];
  return db
    .select()
    .from(usageRecords)
    .where(and(eq(usageRecords.orgId, orgId), inArray(usageRecords.id, [...ids])))
    .all();
}
