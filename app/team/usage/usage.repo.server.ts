import { and, asc, desc, eq, getTableColumns, gt, gte, inArray, isNull, lte, ne, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { usageDays, usageRecords } from "~db/schema";

export type UsageRow = typeof usageRecords.$inferSelect;
export type DaySums = typeof usageDays.$inferSelect;

export const insertUsage = preparedInsert(usageRecords);

/** For a read thread. */
export function sumUntilQuery(db: Db, scope: { orgId: string; day: string; after: number; until: number }) {
  const { costMicros, createdAt, day, inputTokens, orgId, outputTokens } = usageRecords;
  const isIn = and(gt(createdAt, scope.after), lte(createdAt, scope.until));
  return db
    .select({
      tokens: sql<number>`coalesce(sum(coalesce(${inputTokens}, 0) + coalesce(${outputTokens}, 0)), 0)`,
      costMicros: sql<number>`coalesce(sum(${costMicros}), 0)`,
    })
    .from(usageRecords)
    .where(and(eq(orgId, scope.orgId), eq(day, scope.day), isIn))
    .toSQL();
}

export function hasModelUsage(db: Db, orgId: string): boolean {
  const { id, model } = usageRecords;
  const ofModel = and(eq(usageRecords.orgId, orgId), ne(model, ""));
  return db.select({ id }).from(usageRecords).where(ofModel).limit(1).get() !== undefined;
}

/** Newest first. */
export function listProviderCalls(db: Db, providerId: string, since: number, limit: number) {
  const { createdAt, errorCode, firstTokenMs, model, outcome } = usageRecords;
  return db
    .select({ at: createdAt, outcome, errorCode, model, firstTokenMs })
    .from(usageRecords)
    .where(and(eq(usageRecords.providerId, providerId), gte(createdAt, since)))
    .orderBy(desc(createdAt))
    .limit(limit)
    .all();
}

export function listUsageByIds(db: Db, orgId: string, ids: readonly string[]) {
  const { id, model, inputTokens, outputTokens, costMicros, firstTokenMs, durationMs, outcome } =
    usageRecords;
  return db
    .select({ id, model, inputTokens, outputTokens, costMicros, firstTokenMs, durationMs, outcome })
    .from(usageRecords)
    .where(and(eq(usageRecords.orgId, orgId), inArray(id, [...ids])))
    .all();
}

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
    .values(Object.fromEntries(values) as DaySums)
    .onConflictDoUpdate({ target: Object.values(key), set: Object.fromEntries(set) })
    .prepare();
});

export function addToDay(tx: Db, sums: DaySums): void {
  upsert(tx).run(sums);
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
export function subtractFromDay(tx: Db, sums: DaySums): void {
  const names = Object.keys(figures) as (keyof typeof figures)[];
  addToDay(tx, { ...sums, ...Object.fromEntries(names.map((name) => [name, -sums[name]])) });
  removeEmpty(tx).run({ ...sums });
}

/** What a row adds to its day's sums, and where it is. */
const summed = {
  id: usageRecords.id,
  createdAt: usageRecords.createdAt,
  day: usageRecords.day,
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
  cacheReadTokens: usageRecords.cacheReadTokens,
  cacheWriteTokens: usageRecords.cacheWriteTokens,
  searchUnits: usageRecords.searchUnits,
  images: usageRecords.images,
  audioSeconds: usageRecords.audioSeconds,
  characters: usageRecords.characters,
  estimated: usageRecords.estimated,
};
export type SummedRow = Pick<UsageRow, keyof typeof summed>;

/** Rows that no sum includes, newest first. */
export function listUnsummed(db: Db, limit: number): SummedRow[] {
  return db
    .select(summed)
    .from(usageRecords)
    .where(isNull(usageRecords.day))
    .orderBy(desc(usageRecords.createdAt))
    .limit(limit)
    .all();
}

/** Rows after a position, oldest first. */
export function listUsageAfter(
  db: Db,
  org: string,
  after: Pick<UsageRow, "createdAt" | "id">,
  limit: number,
): SummedRow[] {
  const { createdAt, id } = usageRecords;
  const isLater = sql`(${createdAt}, ${id}) > (${after.createdAt}, ${after.id})`;
  return db
    .select(summed)
    .from(usageRecords)
    .where(and(eq(usageRecords.orgId, org), gte(createdAt, after.createdAt), isLater))
    .orderBy(asc(createdAt), asc(id))
    .limit(limit)
    .all();
}

const move = prepared((db) => {
  const isUnmoved = sql`${usageRecords.day} IS ${sql.placeholder("from")}`;
  return db
    .update(usageRecords)
    .set({ day: sql`${sql.placeholder("to")}` })
    .where(and(eq(usageRecords.id, sql.placeholder("id")), isUnmoved))
    .prepare();
});

/** @returns false if the row is on another day than it was when it was read */
export function moveToDay(tx: Db, { id, day }: SummedRow, to: string): boolean {
  return move(tx).run({ id, from: day, to }).changes === 1;
}

/** Undefined without calls. */
export function sumProviderDay(db: Db, scope: { orgId: string; day: string; providerId: string }) {
  const { costMicros, requests, unpriced } = usageDays;
  return db
    .select({
      requests: sql<number>`sum(${requests})`,
      unpriced: sql<number>`sum(${unpriced})`,
      costMicros: sql<number>`sum(${costMicros})`,
    })
    .from(usageDays)
    .where(and(eq(orgId, scope.orgId), eq(day, scope.day), eq(providerId, scope.providerId)))
    .groupBy(providerId)
    .get();
}

/** Tokens and cost of a day, over all sources. */
export function sumDay(db: Db, scope: { orgId: string; day: string }) {
  const { costMicros, inputTokens, outputTokens, unpriced } = usageDays;
  const sums = db
    .select({
      tokens: sql<number>`coalesce(sum(${inputTokens} + ${outputTokens}), 0)`,
      costMicros: sql<number>`coalesce(sum(${costMicros}), 0)`,
      unpriced: sql<number>`coalesce(sum(${unpriced}), 0)`,
    })
    .from(usageDays)
    .where(and(eq(orgId, scope.orgId), eq(day, scope.day)))
    .get();
  return sums ?? { tokens: 0, costMicros: 0, unpriced: 0 };
}
