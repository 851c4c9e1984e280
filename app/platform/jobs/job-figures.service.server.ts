import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { registeredKinds } from "./dispatcher.service.server";
import { countJobs, nextDueAt } from "./jobs.repo.server";
import { nextScheduleAt } from "./schedules.repo.server";
import { hasLateSchedule } from "./schedules.server";

export const countJobsByState = (orgId: string): { kind: string; state: string; count: number }[] =>
  countJobs(db(), orgId);

/** Delay of the oldest due job and schedule, in ms; undefined without a running dispatcher. */
export function queueDelay(): { jobs: number; schedules: number } | undefined {
  if (registeredKinds().size === 0) return undefined;
  const late = (due: number | undefined) => Math.max(0, now() - (due ?? Number.POSITIVE_INFINITY));
  return { jobs: late(nextDueAt(db())), schedules: late(nextScheduleAt(db())) };
}

let checked = { at: Number.NEGATIVE_INFINITY, areRight: true };
/** In ms, since the question is public. */
const CHECKED_EVERY = 10_000;

/** Whether the schedules' next times can be right, looked at now and then. */
export function areSchedulesRight(): boolean {
  const at = performance.now();
  if (at - checked.at > CHECKED_EVERY) checked = { at, areRight: !hasLateSchedule(db()) };
  return checked.areRight;
}
