import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { abortJob, registeredKinds } from "./dispatcher.service.server";
import { emitJobChange, jobFacts, reportChange, wakeDispatcher } from "./job-kind.service.server";
import {
  countJobs,
  findActiveJob,
  findJob,
  type JobRow,
  type JobState,
  listJobs,
  nextDueAt,
  nextScheduleAt,
  updateJob,
} from "./jobs.repo.server";
import { type JobKindView, JobProgress, type JobQuery, type JobView } from "./jobs.schema";
import { endJob } from "./run-job.server";
import { hasLateSchedule } from "./schedules.service.server";

/** Shown instead of an error that may quote restricted content. */
const PRIVATE_ERROR = "The error is visible only to people with access to the job's subject.";

function toView(job: JobRow): JobView {
  const { id, kind, subject, state, attempts, error, progress, runAt, createdAt, finishedAt } = job;
  const parsed = JobProgress.safeParse(progress);
  const definition = registeredKinds().get(kind);
  return {
    id,
    kind,
    title: definition?.title ?? kind,
    subject,
    state,
    attempts,
    error: error !== null && definition?.hasPrivateErrors ? PRIVATE_ERROR : error,
    progress: parsed.success ? parsed.data : null,
    runAt: isoTime(runAt),
    createdAt: isoTime(createdAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
  };
}

const WAITING: readonly JobState[] = ["scheduled", "queued", "waiting"];

export function listJobKinds(actor: Actor): JobKindView[] {
  authorise(actor, "settings.manage");
  const counts = countJobs(db(), actor.orgId);
  const sum = (kind: string, states: readonly JobState[]) =>
    counts
      .filter((row) => row.kind === kind && states.includes(row.state))
      .reduce((n, row) => n + row.count, 0);
  return [...registeredKinds().values()]
    .map(({ kind, title, schedule }) => ({
      kind,
      title,
      waiting: sum(kind, WAITING),
      running: sum(kind, ["running"]),
      failed: sum(kind, ["failed"]),
      every: !schedule ? null : "cron" in schedule ? schedule.cron : `${schedule.everyMs / 1000}`,
    }))
    .sort((a, b) => a.title.localeCompare(b.title, "en"));
}

export function listJobPage(actor: Actor, query: JobQuery): { jobs: JobView[]; next: string | undefined } {
  authorise(actor, "settings.manage");
  const { state, kind, cursor, limit } = query;
  const rows = listJobs(db(), actor.orgId, { state, kind, before: cursor, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return { jobs: page.map(toView), next: rows.length > limit ? page.at(-1)?.id : undefined };
}

function requireJob(actor: Actor, id: string): JobRow {
  const job = findJob(db(), id);
  if (!job || (job.orgId !== null && job.orgId !== actor.orgId))
    throw new AppError("not_found", "Job not found. It may have been removed.");
  return job;
}

function retryWithin(tx: Db, actor: Actor, job: JobRow): void {
  const kind = registeredKinds().get(job.kind);
  const facts = kind && jobFacts(kind, job);
  if (!kind || !facts)
    throw new AppError(
      "conflict",
      "This version of the console doesn't support the job. Restart the console with a newer version.",
    );
  if (kind.onRetry) {
    kind.onRetry(tx, actor, facts);
    updateJob(tx, job.id, ["failed"], { state: "cancelled", keepUntil: now() });
    return;
  }
  const runAt = now();
  const again = { runAt, attempts: 0, crashes: 0, error: null };
  updateJob(tx, job.id, ["failed"], { ...again, state: "queued", finishedAt: null, keepUntil: null });
  reportChange(tx, kind, job, { state: "queued", attempts: 0, runAt, error: null });
}

/** @throws AppError `not_found`, `conflict` for a job that hasn't failed */
export function retryJob(actor: Actor, id: string): JobView {
  authorise(actor, "settings.manage");
  const changed = transaction((tx) => {
    const job = requireJob(actor, id);
    if (job.state !== "failed") throw new AppError("conflict", "Only a failed job can be retried.");
    if (job.dedupeKey !== null && findActiveJob(tx, job.kind, job.dedupeKey))
      throw new AppError(
        "conflict",
        "Another job for the same work is already queued. Wait until it finishes.",
      );
    retryWithin(tx, actor, job);
    append(tx, actor, { action: "job.retried", resource: `job:${id}`, details: { kind: job.kind } });
    return job;
  });
  emitJobChange(changed);
  wakeDispatcher();
  return toView(requireJob(actor, id));
}

/** @throws AppError `not_found`, `conflict` for a finished job */
export function cancelJob(actor: Actor, id: string): JobView {
  authorise(actor, "settings.manage");
  const changed = transaction((tx) => {
    const job = requireJob(actor, id);
    const kind = registeredKinds().get(job.kind);
    if (kind?.mustFinish) throw new AppError("conflict", "This job can't be canceled.");
    const active = ["scheduled", "queued", "waiting", "running"] as const;
    const from = active.find((state) => state === job.state);
    if (!kind || !from || !endJob(tx, job, kind, { state: "cancelled" }, from))
      throw new AppError("conflict", "The job has already finished.");
    append(tx, actor, { action: "job.cancelled", resource: `job:${id}`, details: { kind: job.kind } });
    return job;
  });
  abortJob(id);
  emitJobChange(changed);
  return toView(requireJob(actor, id));
}

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
