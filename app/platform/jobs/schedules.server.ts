import { Cron } from "croner";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { installationTimeZone, orgTimeZone } from "../settings/read-settings.service.server";
import { enqueue } from "./enqueue.service.server";
import type { DueTimes, JobKind } from "./job-kind.service.server";
import { findActiveJob, pullJobsForward } from "./jobs.repo.server";
import {
  deleteOtherSchedules,
  forgetFiresAfter,
  insertFire,
  listDueSchedules,
  listFarSchedules,
  listSchedules,
  putSchedule,
  type ScheduleRow,
  updateNextAt,
} from "./schedules.repo.server";

type Pattern = Pick<ScheduleRow, "cron" | "everyMs" | "timeZone">;

/** In ms since the epoch; null if none follows. */
export function dueAfter(
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
 * overlapping ones are skipped.
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
      enqueue(tx, kind, input, { dedupeKey, subject: `schedule:${key}`, ...(orgId ? { orgId } : {}) });
    }
  }
}
