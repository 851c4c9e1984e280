import { and, eq, lt, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedInsert } from "~/core/db.server";
import { budgetPeriods, budgetReservations, budgets } from "~db/schema";

export type PeriodRow = typeof budgetPeriods.$inferSelect;
type PeriodKey = Pick<PeriodRow, "budgetId" | "period">;

const ofPeriod = ({ budgetId, period }: PeriodKey) =>
  and(eq(budgetPeriods.budgetId, budgetId), eq(budgetPeriods.period, period));

const NO_SPENDING = { spent: 0, extra: 0, unpriced: 0, warnedAt: null, usedUpAt: null };

/** A period without a row has no spending. */
export function readPeriod(db: Db, key: PeriodKey): PeriodRow {
  return db.select().from(budgetPeriods).where(ofPeriod(key)).get() ?? { ...key, ...NO_SPENDING };
}

const reserved = prepared((db) =>
  db
    .select({ amount: sql<number>`coalesce(sum(${budgetReservations.amount}), 0)` })
    .from(budgetReservations)
    .where(eq(budgetReservations.budgetId, sql.placeholder("budgetId")))
    .prepare(),
);

/** The likely cost of running calls. */
export const sumReserved = (db: Db, budgetId: string): number => reserved(db).get({ budgetId })?.amount ?? 0;

export const insertReservation = preparedInsert(budgetReservations);

export function updateReservation(
  tx: Db,
  { budgetId, callId, spent }: Omit<typeof budgetReservations.$inferSelect, "amount">,
): void {
  const own = and(eq(budgetReservations.budgetId, budgetId), eq(budgetReservations.callId, callId));
  tx.update(budgetReservations).set({ spent }).where(own).run();
}

export const deleteReservation = preparedDelete(budgetReservations, "budgetId", "callId");

/** Deletes all reservations. @returns what they had spent, with their budgets */
export function takeReservations(tx: Db): { budget: typeof budgets.$inferSelect; spent: number }[] {
  const rows = tx
    .select({ budget: budgets, spent: budgetReservations.spent })
    .from(budgetReservations)
    .innerJoin(budgets, eq(budgets.id, budgetReservations.budgetId))
    .all();
  tx.delete(budgetReservations).run();
  return rows;
}

export function addSpending(tx: Db, spending: PeriodKey & Pick<PeriodRow, "spent" | "unpriced">): PeriodRow {
  return tx
    .insert(budgetPeriods)
    .values(spending)
    .onConflictDoUpdate({
      target: [budgetPeriods.budgetId, budgetPeriods.period],
      set: {
        spent: sql`${budgetPeriods.spent} + excluded.spent`,
        unpriced: sql`${budgetPeriods.unpriced} + excluded.unpriced`,
      },
    })
    .returning()
    .get();
}

export function savePeriod(tx: Db, row: PeriodRow): void {
  const { budgetId, period, ...values } = row;
  tx.insert(budgetPeriods)
    .values(row)
    .onConflictDoUpdate({ target: [budgetPeriods.budgetId, budgetPeriods.period], set: values })
    .run();
}

export function deletePeriodsBefore(tx: Db, day: string, limit: number): number {
  const { budgetId, period } = budgetPeriods;
  const old = tx.select({ budgetId, period }).from(budgetPeriods).where(lt(period, day)).limit(limit);
  return tx.delete(budgetPeriods).where(sql`(${budgetId}, ${period}) IN ${old}`).run().changes;
}
