import { and, desc, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { usageDays, usageRecords } from "~db/schema";

type UsageRow = typeof usageRecords.$inferSelect;
type UsageSums = typeof usageDays.$inferInsert;

const { orgId, day, source, model, providerId, userId, personaId, workflowId, tokenId, tool, ...figures } =
  getTableColumns(usageDays);
const key = { orgId, day, source, model, providerId, userId, personaId, workflowId, tokenId, tool };

const upsert = prepared((db) => {
  const values = Object.keys({ ...key, ...figures }).map((name) => [name, sql.placeholder(name)]);
  const set = Object.entries(figures).map(([name, column]) => [
    name,
    sql`${column} + excluded.${sql.identifier(column.name)}`,
  ]);
  return db
    .insert(usageDays)
    .values(Object.fromEntries(values) as UsageSums)
    .onConflictDoUpdate({ target: Object.values(key), set: Object.fromEntries(set) })
    .prepare();
});

/** Adds figures to the sums of a day. */
export function addToDay(tx: Db, sums: UsageSums): void {
  upsert(tx).run(sums);
}

/** Rows that no day's sums hold yet, the newest first. */
export function listUnsummed(tx: Db, limit: number): UsageRow[] {
  return tx
    .select()
    .from(usageRecords)
    .where(isNull(usageRecords.day))
    .orderBy(desc(usageRecords.createdAt))
    .limit(limit)
    .all();
}

/** Notes the day whose sums hold a row. @returns false where one was noted already */
export function markSummed(tx: Db, id: string, onDay: string): boolean {
  const marked = tx
    .update(usageRecords)
    .set({ day: onDay })
    .where(and(eq(usageRecords.id, id), isNull(usageRecords.day)))
    .run();
  return marked.changes === 1;
}

/** A provider's requests and cost of a day; undefined without any. */
export function sumProviderDay(db: Db, scope: { orgId: string; day: string; providerId: string }) {
  return db
    .select({
      requests: sql<number>`sum(${usageDays.requests})`,
      unpriced: sql<number>`sum(${usageDays.unpriced})`,
      costMicros: sql<number>`sum(${usageDays.costMicros})`,
    })
    .from(usageDays)
    .where(
      and(
        eq(usageDays.orgId, scope.orgId),
        eq(usageDays.day, scope.day),
        eq(usageDays.providerId, scope.providerId),
      ),
    )
    .groupBy(usageDays.providerId)
    .get();
}
