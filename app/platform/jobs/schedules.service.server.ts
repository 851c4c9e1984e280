import { Cron } from "croner";
import type { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { installationTimeZone, orgTimeZone } from "~/platform/settings/settings.service.server";
import { enqueue } from "./enqueue.service.server";
import { type DeclaredJob, type DueTimes, type JobKind, wakeDispatcher } from "./job-kind.service.server";
import {
  deleteOtherSchedules,
  deleteSchedules,
  findActiveJob,
  findSchedule,
  forgetFiresAfter,
  hasFire,
  insertFire,
  listDueSchedules,
  listFarSchedules,
  listSchedules,
  pullJobsForward,
  putSchedule,
  type ScheduleRow,
  updateNextAt,
} from "./jobs.repo.server";

type Pattern = Pick<ScheduleRow, "cron" | "everyMs" | "timeZone">;

/** In ms since the epoch; null if none follows. */
function dueAfter(
  schedule: Pattern & Partial<Pick<ScheduleRow, "orgId">>,
  last: number,
  at: number,
): number | null {
  const { cron, everyMs } = schedule;
  if (cron === null) {
    if (everyMs === null) return null;
    const behind = Math.max(0, Math.floor((at - last) / everyMs)) + 1;
    return Math.min(last + behind * everyMs, at + everyMs);
  }
  const timezone =
    schedule.timeZone ?? (schedule.orgId ? orgTimeZone(schedule.orgId) : installationTimeZone());
  const next = new Cron(cron, { timezone, paused: true }).nextRun(new Date(at));
  return next?.getTime() ?? null;
}

function patternOf(times: DueTimes): Pattern {
  return "cron" in times
    ? { cron: times.cron, everyMs: null, timeZone: times.timeZone ?? null }
    : { cron: null, everyMs: times.everyMs, timeZone: null };
}

const isSamePattern = (a: Pattern, b: Pattern) =>
  a.cron === b.cron && a.everyMs === b.everyMs && a.timeZone === b.timeZone;

/** Syncs schedules with their definitions; a missed time runs once. */
export function syncSchedules(kinds: readonly JobKind[]): void {
  transaction((tx) => {
    const existing = new Map(listSchedules(tx).map((row) => [row.key, row]));
    const own = kinds.filter(({ schedule }) => schedule);
    for (const { kind, schedule } of own) {
      if (!schedule) continue;
      const pattern = patternOf(schedule);
      const before = existing.get(kind);
      const plannedAt = before && isSamePattern(before, pattern) ? before.nextAt : null;
      const nextAt = schedule.atStart ? now() : (plannedAt ?? dueAfter(pattern, now(), now()));
      putSchedule(tx, { key: kind, orgId: null, kind, ...pattern, input: schedule.input, nextAt });
    }
    deleteOtherSchedules(
      tx,
      own.map(({ kind }) => kind),
    );
    mendTimes(tx);
  });
}

/** @returns a schedule's next time if it is planned later, which only a clock that was ahead does */
function earlierTime(schedule: ScheduleRow, at: number): number | undefined {
  const usual = dueAfter(schedule, at, at);
  return usual !== null && schedule.nextAt !== null && schedule.nextAt > usual ? usual : undefined;
}

/** Plans again what a clock that was ahead left too late: schedules' next times, and delays of jobs. */
export function mendTimes(tx: Db): void {
  const at = now();
  for (const schedule of listSchedules(tx)) {
    const usual = earlierTime(schedule, at);
    if (usual === undefined) continue;
    updateNextAt(tx, schedule.key, usual);
    forgetFiresAfter(tx, schedule.key, at);
  }
  pullJobsForward(tx, at);
}

/** Schedules that `hasLateSchedule` looks at. */
const MAX_CHECKED = 100;

/** Whether a schedule is planned later than it can be. */
export function hasLateSchedule(tx: Db): boolean {
  return listFarSchedules(tx, MAX_CHECKED).some((row) => earlierTime(row, now()) !== undefined);
}

export function followTimeZone(): void {
  transaction((tx) => {
    const following = listSchedules(tx).filter(({ cron, timeZone }) => cron !== null && timeZone === null);
    for (const schedule of following) updateNextAt(tx, schedule.key, dueAfter(schedule, now(), now()));
  });
}

/**
 * Queues a job per due time, exactly once: time, job and next time share a commit. Missed times become one job;
 * overlapping ones are skipped. The input of a job gets the due time as `dueAt`, in ms since the epoch.
 */
export function fireSchedules(tx: Db, kinds: ReadonlyMap<string, JobKind>, at: number): void {
  for (const schedule of listDueSchedules(tx, at)) {
    const { key, nextAt, orgId, input } = schedule;
    if (nextAt === null) continue;
    updateNextAt(tx, key, dueAfter(schedule, nextAt, at));
    const kind = kinds.get(schedule.kind);
    if (!kind) continue;
    const dedupeKey = `schedule:${key}`;
    if (findActiveJob(tx, kind.kind, dedupeKey)) {
      insertFire(tx, { scheduleKey: key, dueAt: nextAt, outcome: "skipped", jobId: null });
    } else if (insertFire(tx, { scheduleKey: key, dueAt: nextAt, outcome: "queued", jobId: null })) {
      enqueue(
        tx,
        kind,
        { ...(input as object), dueAt: nextAt },
        { dedupeKey, subject: `schedule:${key}`, ...(orgId ? { orgId } : {}) },
      );
    }
  }
}

interface OwnSchedule<Input> {
  /** Such as `workflow:wf_…:schedule_1`. */
  key: string;
  orgId: string;
  cron: string;
  /** IANA name; null for the organization's. */
  timeZone: string | null;
  input: Input;
}

/** Adds or updates a feature's schedule; an unchanged one keeps its next time, unless that is too late. */
export function setSchedule<S extends z.ZodType>(
  tx: Db,
  { kind }: DeclaredJob<S>,
  schedule: OwnSchedule<z.input<S>>,
): void {
  const { key, orgId, cron, timeZone, input } = schedule;
  const pattern = { cron, everyMs: null, timeZone };
  const before = findSchedule(tx, key);
  const isUnchanged = before?.cron === cron && before.timeZone === timeZone;
  const usual = dueAfter({ ...pattern, orgId }, now(), now());
  const nextAt = isUnchanged && before.nextAt !== null ? Math.min(before.nextAt, usual ?? Infinity) : usual;
  putSchedule(tx, { key, orgId, kind, ...pattern, input, nextAt });
  wakeDispatcher();
}

/** Removes schedules by key prefix. */
export function removeSchedules(tx: Db, keyPrefix: string, keep: ReadonlySet<string> = new Set()): void {
  deleteSchedules(tx, keyPrefix, [...keep]);
}

/** Retention of due times in ms; a clock set back by less doesn't repeat them. */
export const FIRES_KEPT = 7 * DAY;
/** Running time after which a clock is believed that was ahead of everything recorded, in ms. */
const CONFIRMED_AFTER = 2 * DAY;

/** Whether due times were recorded in the days before, or none are older. */
function isClockConfirmed(at: number): boolean {
  const oldest = at - FIRES_KEPT;
  return hasFire(db(), oldest, at - CONFIRMED_AFTER) || !hasFire(db(), Number.MIN_SAFE_INTEGER, oldest);
}

/**
 * The time before which records are too old to keep, in ms since the epoch. A clock that is far ahead must not delete
 * them: it is 0 until the console ran for two days by a clock that went a week without it.
 */
export function oldestKept(ageMs: number): number {
  const at = now();
  return isClockConfirmed(at) ? at - ageMs : 0;
}
