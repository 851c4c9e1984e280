import { and, eq, lt, sql } from "drizzle-orm";
import { type Db, prepared, preparedDelete, preparedFind, preparedInsert } from "~/core/db.server";
import { budgetPeriods, budgetReservations, budgets } from "~db/schema";

export type PeriodRow = typeof budgetPeriods.$inferSelect;
type PeriodKey = Pick<PeriodRow, "budgetId" | "period">;

const findPeriod = preparedFind(budgetPeriods, "budgetId", "period");

const NO_SPENDING = { spent: 0, extra: 0, unpriced: 0, warnedAt: null, usedUpAt: null };

/** A period without a row has no spending. */
export function readPeriod(db: Db, key: PeriodKey): PeriodRow {
  return findPeriod(db, key.budgetId, key.period) ?? { ...key, ...NO_SPENDING };
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

const setSpent = prepared((db) =>
  db
    .update(budgetReservations)
    .set({ spent: sql`${sql.placeholder("spent")}` })
    .where(
      and(
        eq(budgetReservations.budgetId, sql.placeholder("budgetId")),
        eq(budgetReservations.callId, sql.placeholder("callId")),
      ),
    )
    .prepare(),
);

export function updateReservation(tx: Db, row: Omit<typeof budgetReservations.$inferSelect, "amount">): void {
  setSpent(tx).run({ ...row });
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

const add = prepared((db) =>
  db
    .insert(budgetPeriods)
    .values({
      budgetId: sql.placeholder("budgetId"),
      period: sql.placeholder("period"),
      spent: sql.placeholder("spent"),
      unpriced: sql.placeholder("unpriced"),
    })
    .onConflictDoUpdate({
      target: [budgetPeriods.budgetId, budgetPeriods.period],
      set: {
        spent: sql`${budgetPeriods.spent} + excluded.spent`,
        unpriced: sql`${budgetPeriods.unpriced} + excluded.unpriced`,
      },
    })
    .returning()
    .prepare(),
);

interface Spending extends PeriodKey {
  spent: number;
  /** 1 for a call of unknown cost, else 0; their number if the period is new. */
  unpriced: number;
}

/** Adds to what was spent in a period. @returns the period's row afterwards */
export function addSpending(tx: Db, spending: Spending): PeriodRow {
  return add(tx).get({ ...spending });
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
