import { and, asc, desc, eq, getTableColumns, gte, isNotNull, isNull, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { usageDays, usageRecords } from "~db/schema";

const summed = {
  id: usageRecords.id,
  createdAt: usageRecords.createdAt,
  outcome: usageRecords.outcome,
  orgId: usageRecords.orgId,
  source: usageRecords.source,
  model: usageRecords.model,
  providerId: usageRecords.providerId,
  userId: usageRecords.userId,
  personaId: usageRecords.personaId,
  workflowId: usageRecords.workflowId,
  tokenId: usageRecords.tokenId,
  tool: usageRecords.tool,
  inputTokens: usageRecords.inputTokens,
  outputTokens: usageRecords.outputTokens,
  costMicros: usageRecords.costMicros,
  firstTokenMs: usageRecords.firstTokenMs,
};
export type UnsummedRow = Pick<typeof usageRecords.$inferSelect, keyof typeof summed>;

export type UsageSums = typeof usageDays.$inferInsert;

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

/** Upserts. */
export function addToDay(tx: Db, sums: UsageSums): void {
  upsert(tx).run(sums);
}

/** Newest first. */
export function listUnsummed(tx: Db, limit: number): UnsummedRow[] {
  return tx
    .select(summed)
    .from(usageRecords)
    .where(isNull(usageRecords.day))
    .orderBy(desc(usageRecords.createdAt))
    .limit(limit)
    .all();
}

/** Sort key by time. */
export interface RowPosition {
  createdAt: number;
  id: string;
}

/** Summed rows after a position, oldest first. */
export function listSummed(tx: Db, org: string, after: RowPosition, limit: number) {
  const { createdAt, day, id } = usageRecords;
  return tx
    .select({ createdAt, day, id })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.orgId, org),
        gte(createdAt, after.createdAt),
        sql`(${createdAt}, ${id}) > (${after.createdAt}, ${after.id})`,
        isNotNull(usageRecords.day),
      ),
    )
    .orderBy(asc(createdAt), asc(id))
    .limit(limit)
    .all();
}

const move = prepared((db) =>
  db
    .update(usageRecords)
    .set({ day: sql`${sql.placeholder("to")}` })
    .where(and(eq(usageRecords.id, sql.placeholder("id")), eq(usageRecords.day, sql.placeholder("from"))))
    .prepare(),
);

const one = prepared((db) =>
  db
    .select(summed)
    .from(usageRecords)
    .where(eq(usageRecords.id, sql.placeholder("id")))
    .prepare(),
);

export const findSummed = (tx: Db, id: string): UnsummedRow | undefined => one(tx).get({ id });

/** @returns false if already moved */
export function moveToDay(tx: Db, id: string, from: string, to: string): boolean {
  return move(tx).run({ id, from, to }).changes === 1;
}

const removeEmpty = prepared((db) =>
  db
    .delete(usageDays)
    .where(
      and(
        ...Object.entries(key).map(([name, column]) => eq(column, sql.placeholder(name))),
        eq(usageDays.requests, 0),
      ),
    )
    .prepare(),
);

/** Deletes empty sums. */
export function subtractFromDay(tx: Db, sums: UsageSums): void {
  const subtracted = Object.fromEntries(
    Object.keys(figures).map((name) => [name, -Number(sums[name as keyof UsageSums])]),
  );
  upsert(tx).run({ ...sums, ...subtracted });
  removeEmpty(tx).run({ ...sums });
}

const mark = prepared((db) =>
  db
    .update(usageRecords)
    .set({ day: sql`${sql.placeholder("day")}` })
    .where(and(eq(usageRecords.id, sql.placeholder("id")), isNull(usageRecords.day)))
    .prepare(),
);

/** @returns false if already marked */
export function markSummed(tx: Db, id: string, onDay: string): boolean {
  return mark(tx).run({ id, day: onDay }).changes === 1;
}

/** Undefined without calls. */
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

/** Tokens and cost of a day, over all sources. */
export function sumDay(
  db: Db,
  scope: { orgId: string; day: string },
): { tokens: number; costMicros: number } {
  const sums = db
    .select({
      tokens: sql<number | null>`sum(${usageDays.inputTokens} + ${usageDays.outputTokens})`,
      costMicros: sql<number | null>`sum(${usageDays.costMicros})`,
    })
    .from(usageDays)
    .where(and(eq(usageDays.orgId, scope.orgId), eq(usageDays.day, scope.day)))
    .get();
  return { tokens: sums?.tokens ?? 0, costMicros: sums?.costMicros ?? 0 };
}
