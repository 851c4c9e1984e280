import { and, asc, eq, gt, gte, inArray, isNotNull, lt, lte, min, notInArray, or, sql } from "drizzle-orm";
import { type Db, prepared } from "~/core/db.server";
import { scheduleFires, schedules } from "~db/schema";

export type ScheduleRow = typeof schedules.$inferSelect;

export function listSchedules(tx: Db): ScheduleRow[] {
  return tx.select().from(schedules).orderBy(asc(schedules.key)).all();
}

export function putSchedule(tx: Db, row: ScheduleRow): void {
  const { key: _, ...rest } = row;
  tx.insert(schedules).values(row).onConflictDoUpdate({ target: schedules.key, set: rest }).run();
}

export function findSchedule(tx: Db, key: string): ScheduleRow | undefined {
  return tx.select().from(schedules).where(eq(schedules.key, key)).get();
}

export function deleteSchedules(tx: Db, prefix: string, keep: readonly string[]): void {
  tx.delete(schedules)
    .where(
      and(
        gte(schedules.key, prefix),
        lt(schedules.key, `${prefix}\u{10ffff}`),
        notInArray(schedules.key, [...keep]),
      ),
    )
    .run();
}

export function updateNextAt(tx: Db, key: string, nextAt: number | null): void {
  tx.update(schedules).set({ nextAt }).where(eq(schedules.key, key)).run();
}

export function deleteOtherSchedules(tx: Db, keys: readonly string[]): void {
  tx.delete(schedules)
    .where(and(eq(schedules.key, schedules.kind), notInArray(schedules.key, [...keys])))
    .run();
}

const at = sql.placeholder("at");
const due = prepared((db) =>
  db
    .select()
    .from(schedules)
    .where(or(lte(schedules.nextAt, at), gt(sql`${schedules.nextAt} - ${at}`, schedules.everyMs)))
    .prepare(),
);

/** Due schedules, and those too far ahead because the clock was set back. */
export function listDueSchedules(tx: Db, now: number): ScheduleRow[] {
  return due(tx).all({ at: now });
}

const next = prepared((db) =>
  db
    .select({ at: min(schedules.nextAt) })
    .from(schedules)
    .where(isNotNull(schedules.nextAt))
    .prepare(),
);

export function nextScheduleAt(tx: Db): number | undefined {
  return next(tx).get()?.at ?? undefined;
}

/** @returns false if already recorded */
export function insertFire(tx: Db, row: typeof scheduleFires.$inferInsert): boolean {
  return tx.insert(scheduleFires).values(row).onConflictDoNothing().run().changes > 0;
}

export function deleteOldFires(tx: Db, before: number, limit: number): number {
  const old = tx
    .select({ rowid: sql`rowid` })
    .from(scheduleFires)
    .where(lt(scheduleFires.dueAt, before))
    .limit(limit);
  return tx.delete(scheduleFires).where(inArray(sql`rowid`, old)).run().changes;
}
