import { onAbort } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { runInBackground } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { releaseReserveOn } from "~/core/disk-reserve.server";
import { DAY } from "~/core/durations";
import { AppError, type ErrorCode } from "~/core/errors";
import { log } from "~/core/log.server";
import { withoutPurpose } from "~/core/purpose.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { inTrace, readTrace } from "~/core/trace-context.server";
import { asOfNow } from "~/platform/rights/current-role.server";
import {
  emitJobChange,
  type JobContext,
  type JobEnd,
  type JobKind,
  Postponed,
  reportChange,
} from "./job-kind.service.server";
import { type JobRow, type JobState, updateJob } from "./jobs.repo.server";
import type { JobProgress } from "./jobs.schema";
import { JobActor } from "./jobs.schema";

/** Retention of failed jobs, for a manual retry, in ms. */
const FAILED_KEPT = 30 * DAY;
const SUCCEEDED_KEPT = DAY;
/** Grace period after the signal, in ms. */
const GRACE = 5000;
/** Minimum interval between progress writes, in ms. */
const PROGRESS_EVERY = 500;
/** Delay before a job's end is written again, in ms: the disk may be full. */
const END_RETRY = 1000;
/** Maximum `Retry-After` that is honored, in ms. */
const MAX_RETRY_AFTER = 10 * 60_000;

/** Abort reason on shutdown: the job is requeued. */
export const STOPPED = new AppError("unavailable", "The console is stopping.");

const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  "provider_quota",
  "budget_exceeded",
  "provider_timeout",
  "provider_unavailable",
  "rate_limited",
  "unavailable",
  "disk_full",
  "internal",
]);

const isTransient = (error: unknown) =>
  !(error instanceof AppError) || (TRANSIENT.has(error.code) && !error.permanent);

const messageOf = (error: unknown) =>
  error instanceof AppError
    ? error.message
    : "Something went wrong on the server. See the server log for the reason.";

function actorOf({ orgId, actor }: JobRow): Actor {
  const { trace: _, ...stored } = JobActor.parse(actor);
  const author = { ...stored, orgId: orgId ?? "" };
  return author.kind === "system" ? author : asOfNow(db(), author);
}

function contextOf(
  job: JobRow,
  kind: JobKind,
  input: unknown,
  { signal, onSucceeded }: Run,
): JobContext<unknown> {
  const written = { step: undefined as string | undefined, at: Number.NEGATIVE_INFINITY };
  let checkpoint = JSON.stringify(job.checkpoint ?? null);
  return {
    jobId: job.id,
    orgId: job.orgId,
    owner: job.owner,
    input,
    attempts: job.attempts,
    signal,
    actor: () => ({ ...actorOf(job), jobId: job.id }),
    checkpoint: job.checkpoint,
    progress(progress: JobProgress) {
      const isFinished = progress.total > 0 && progress.done >= progress.total;
      const at = performance.now();
      if (progress.step === written.step && at - written.at < PROGRESS_EVERY && !isFinished) return;
      written.step = progress.step;
      written.at = at;
      const write = (tx: Db) => {
        if (updateJob(tx, job.id, ["running"], { progress }))
          reportChange(tx, kind, job, { state: "running", progress });
      };
      runInBackground("the progress of a job", () => {
        transaction(write, { durable: false });
        emitJobChange(job);
      });
    },
    saveCheckpoint(state: unknown, options = {}) {
      const json = JSON.stringify(state ?? null);
      // An unchanged checkpoint is no progress, so that a crashing job ends.
      const crashes = json === checkpoint ? {} : { crashes: 0 };
      checkpoint = json;
      const write = (tx: Db) => void updateJob(tx, job.id, ["running"], { checkpoint: state, ...crashes });
      transaction(write, { durable: !options.mayBeLost });
    },
    changeInput(tx: Db, input: unknown) {
      if (updateJob(tx, job.id, ["running"], { input })) job.input = input;
    },
    succeed(tx: Db) {
      const hasEnded = endJob(tx, job, kind, { state: "succeeded" });
      if (hasEnded) onSucceeded();
      return hasEnded;
    },
  };
}

interface Run {
  signal: AbortSignal;
  onSucceeded: () => void;
}

/** Runs with a time limit, and abandons a run that ignores its signal. */
async function attempt(
  job: JobRow,
  kind: JobKind,
  controller: AbortController,
  onSucceeded: () => void,
): Promise<void> {
  const { signal } = controller;
  const timer = setTimeout(() => {
    const seconds = Math.round(kind.timeoutMs / 1000);
    controller.abort(new AppError("unavailable", `The job exceeded its time limit of ${seconds} s.`));
  }, kind.timeoutMs);
  let grace: NodeJS.Timeout | undefined;
  let release = () => {};
  const abandoned = new Promise<never>((_, reject) => {
    release = onAbort(signal, (reason) => {
      grace = setTimeout(() => reject(reason), GRACE);
    });
  });
  try {
    const input = kind.input.parse(job.input);
    const work = () => kind.run(contextOf(job, kind, input, { signal, onSucceeded }));
    // The dispatcher may have been woken by another request.
    const trace = readTrace(JobActor.safeParse(job.actor).data?.trace ?? {});
    await Promise.race([inTrace(trace, () => withoutPurpose(work)), abandoned]);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    release();
  }
}

/** Ends a job with its kind's hook. @returns false if it no longer runs */
export function endJob(tx: Db, job: JobRow, kind: JobKind, end: JobEnd, from: JobState = "running"): boolean {
  const at = now();
  const ended = updateJob(tx, job.id, [from], {
    state: end.state,
    error: end.state === "failed" ? end.error : null,
    finishedAt: at,
    keepUntil: at + (end.state === "failed" ? FAILED_KEPT : (kind.keepMs ?? SUCCEEDED_KEPT)),
    ...(end.state === "failed" ? { attempts: job.attempts + 1 } : {}),
  });
  if (!ended) return false;
  reportChange(tx, kind, job, end);
  return true;
}

function reschedule(
  tx: Db,
  job: JobRow,
  kind: JobKind,
  change: { attempts: number; runAt: number; error: string | null },
): void {
  if (updateJob(tx, job.id, ["running"], { state: "scheduled", ...change }))
    reportChange(tx, kind, job, { state: "queued", ...change });
}

function recordFailure(tx: Db, job: JobRow, kind: JobKind, error: unknown): void {
  if (error instanceof Postponed) {
    reschedule(tx, job, kind, { attempts: job.attempts, runAt: now() + error.delayMs, error: null });
    return;
  }
  const attempts = job.attempts + 1;
  const { attempts: max = 1, backoffMs = [] } = kind.retry ?? {};
  const usual = backoffMs[Math.min(attempts, backoffMs.length) - 1] ?? 0;
  const requestedPause = error instanceof AppError && error.retryAfter ? error.retryAfter * 1000 : 0;
  const pause = Math.max(usual, requestedPause);
  if (attempts < max && isTransient(error) && pause <= MAX_RETRY_AFTER) {
    reschedule(tx, job, kind, { attempts, runAt: now() + pause, error: messageOf(error) });
    return;
  }
  const code = error instanceof AppError ? error.code : "internal";
  endJob(tx, job, kind, { state: "failed", error: messageOf(error), code });
}

const isRefusedByDatabase = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");

const freesSpace = (kind: JobKind): boolean => kind.freesSpace?.() ?? false;

function endWithoutHook(tx: Db, job: JobRow): void {
  const at = now();
  const error = "Something went wrong on the server. See the server log for the reason.";
  updateJob(tx, job.id, ["running"], { state: "failed", error, finishedAt: at, keepUntil: at + FAILED_KEPT });
}

interface Ending {
  job: JobRow;
  kind: JobKind;
  isStopping(): boolean;
}

/** Retries writing a job's end until shutdown. */
async function settle({ job, kind, isStopping }: Ending, write: (tx: Db) => unknown): Promise<void> {
  let writing = write;
  for (;;) {
    try {
      await groupedTransaction(writing);
      return;
    } catch (error) {
      if (isStopping()) throw error;
      log.error("failed to record a job's end, retrying", { job: job.id, error });
      if (!isRefusedByDatabase(error)) {
        if (writing !== write) throw error;
        writing = (tx) => endWithoutHook(tx, job);
        continue;
      }
      if (releaseReserveOn(error, () => freesSpace(kind))) continue;
      await new Promise((resolve) => setTimeout(resolve, END_RETRY).unref());
    }
  }
}

/** One attempt of a job, up to its written end; while the process stops, a failed write is left to the next start. */
export async function runJob(
  job: JobRow,
  kind: JobKind,
  controller: AbortController,
  isStopping: () => boolean,
): Promise<void> {
  const { signal } = controller;
  let failure: { error: unknown } | undefined;
  let hasEnded = false;
  try {
    await attempt(job, kind, controller, () => {
      hasEnded = true;
    });
  } catch (error) {
    const isGivenSpace = releaseReserveOn(error, () => freesSpace(kind));
    failure = { error: isGivenSpace ? new Postponed(0) : explainStorageFault(error) };
  }
  const ending = { job, kind, isStopping };
  if (!failure && hasEnded) return;
  if (!failure) return settle(ending, (tx) => endJob(tx, job, kind, { state: "succeeded" }));
  const { error } = failure;
  if (signal.reason === STOPPED) {
    const { attempts, error } = job;
    const requeue = (tx: Db) => {
      if (updateJob(tx, job.id, ["running"], { state: "queued" }))
        reportChange(tx, kind, job, { state: "queued", attempts, runAt: now(), error });
    };
    return settle(ending, requeue);
  }
  if (!(error instanceof AppError || error instanceof Postponed))
    log.error("a job failed", { job: job.id, kind: job.kind, error });
  return settle(ending, (tx) => recordFailure(tx, job, kind, signal.aborted ? signal.reason : error));
}
