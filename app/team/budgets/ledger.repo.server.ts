import { and, eq, lt, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { budgetPeriods, budgetReservations, budgets } from "~db/schema";

const ofPeriod = and(
  eq(budgetPeriods.budgetId, sql.placeholder("budgetId")),
  eq(budgetPeriods.period, sql.placeholder("period")),
);

const period = prepared((db) =>
  db
    .select({ spent: budgetPeriods.spent, extra: budgetPeriods.extra })
    .from(budgetPeriods)
    .where(ofPeriod)
    .prepare(),
);

const reserved = prepared((db) =>
  db
    .select({ amount: sql<number>`coalesce(sum(${budgetReservations.amount}), 0)` })
    .from(budgetReservations)
    .where(eq(budgetReservations.budgetId, sql.placeholder("budgetId")))
    .prepare(),
);

interface Balance {
  spent: number;
  /** Likely cost of running calls. */
  reserved: number;
  extra: number;
}

export function readBalance(db: Db, budgetId: string, periodKey: string): Balance {
  const row = period(db).get({ budgetId, period: periodKey });
  return {
    spent: row?.spent ?? 0,
    extra: row?.extra ?? 0,
    reserved: reserved(db).get({ budgetId })?.amount ?? 0,
  };
}

const insert = prepared((db) =>
  db
    .insert(budgetReservations)
    .values({
      budgetId: sql.placeholder("budgetId"),
      callId: sql.placeholder("callId"),
      amount: sql.placeholder("amount"),
      spent: sql.placeholder("spent"),
    })
    .prepare(),
);

type ReservationRow = typeof budgetReservations.$inferSelect;

export function insertReservation(tx: Db, row: ReservationRow): void {
  insert(tx).run({ ...row });
}

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

export function updateReservation(tx: Db, row: Omit<ReservationRow, "amount">): void {
  setSpent(tx).run({ ...row });
}

const remove = prepared((db) =>
  db
    .delete(budgetReservations)
    .where(
      and(
        eq(budgetReservations.budgetId, sql.placeholder("budgetId")),
        eq(budgetReservations.callId, sql.placeholder("callId")),
      ),
    )
    .prepare(),
);

export function deleteReservation(tx: Db, row: { budgetId: string; callId: string }): void {
  remove(tx).run(row);
}

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
      spent: sql.placeholder("amount"),
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

interface Spending {
  budgetId: string;
  period: string;
  amount: number;
  /** 1 for a call of unknown cost, else 0. */
  unpriced: number;
}

/** Adds to what was spent in a period. @returns the period's row afterwards */
export function addSpending(tx: Db, spending: Spending): typeof budgetPeriods.$inferSelect {
  return add(tx).get({ ...spending });
}

export function deletePeriodsBefore(tx: Db, day: string, limit: number): number {
  const { budgetId, period } = budgetPeriods;
  const old = tx.select({ budgetId, period }).from(budgetPeriods).where(lt(period, day)).limit(limit);
  return tx.delete(budgetPeriods).where(sql`(${budgetId}, ${period}) IN ${old}`).run().changes;
}

export function markReported(
  tx: Db,
  {
    budgetId,
    period,
    ...marks
  }: Pick<typeof budgetPeriods.$inferSelect, "budgetId" | "period"> &
    Partial<Pick<typeof budgetPeriods.$inferSelect, "warnedAt" | "usedUpAt">>,
): void {
  tx.update(budgetPeriods)
    .set(marks)
    .where(and(eq(budgetPeriods.budgetId, budgetId), eq(budgetPeriods.period, period)))
    .run();
}
