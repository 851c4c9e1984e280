import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, lte, min, notInArray, sql } from "drizzle-orm";
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
const due = prepared((db) => db.select().from(schedules).where(lte(schedules.nextAt, at)).prepare());

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

/** Whether a due time from the first time up to the second is recorded. */
export function hasFire(tx: Db, from: number, to: number): boolean {
  const { dueAt } = scheduleFires;
  return (
    tx
      .select({ dueAt })
      .from(scheduleFires)
      .where(and(gte(dueAt, from), lt(dueAt, to)))
      .limit(1)
      .get() !== undefined
  );
}

/** Forgets a schedule's due times after a time if there are several, since it would pause for all of them. */
export function forgetFiresAfter(tx: Db, key: string, at: number): void {
  const later = and(eq(scheduleFires.scheduleKey, key), gt(scheduleFires.dueAt, at));
  const found = tx.select({ dueAt: scheduleFires.dueAt }).from(scheduleFires).where(later).limit(2).all();
  if (found.length > 1) tx.delete(scheduleFires).where(later).run();
}

/** Those planned farthest ahead. */
export function listFarSchedules(tx: Db, limit: number): ScheduleRow[] {
  return tx
    .select()
    .from(schedules)
    .where(isNotNull(schedules.nextAt))
    .orderBy(desc(schedules.nextAt))
    .limit(limit)
    .all();
}

export function deleteOldFires(tx: Db, before: number, limit: number): number {
  const old = tx
    .select({ rowid: sql`rowid` })
    .from(scheduleFires)
    .where(lt(scheduleFires.dueAt, before))
    .limit(limit);
  return tx.delete(scheduleFires).where(inArray(sql`rowid`, old)).run().changes;
}
