import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { knowledgeChanged } from "./changes.server";
import { JobInput } from "./job";
import {
  findJob,
  type JobRow,
  listJobsInState,
  listWaitingUsers,
  nextJobOf,
  updateJob,
} from "./jobs.repo.server";
import { type JobProgress, reportProgress } from "./progress.server";

/** Jobs that run at the same time, and one more if it only brings a change of a document into the indexes. */
const SEATS = 2;
const SEATS_WITH_CHANGE = 3;
/** Between two looks for jobs whose time has come, in milliseconds. */
const LOOK_EVERY = 1000;
/** Before a job runs again whose end could not be written, in milliseconds. */
const STRANDED_PAUSE = 5000;
/** A job during which the process died so often without getting further is what kills it. */
const MOST_CRASHES = 8;

export interface JobContext {
  /** Fires when the job is cancelled or the process stops. */
  signal: AbortSignal;
  progress: JobProgress;
}

export interface JobRunners {
  /** Does the job; it may end it itself in its own transaction, otherwise it is done when this resolves. */
  run(job: JobRow, context: JobContext): Promise<void>;
  /** Puts down that it failed, or when it is tried again. */
  fail(job: JobRow, error: unknown): void;
}

interface Queue {
  runners: JobRunners;
  running: Map<string, { controller: AbortController; done: Promise<void> }>;
  /** When each person's job was taken last, by a count: who waited longest is next. */
  turns: Map<string, number>;
  turn: number;
  timer: NodeJS.Timeout;
  stopping: boolean;
}

// Jobs go on while development evaluates modules again.
const holder = globalThis as typeof globalThis & { quarterdeckIngestion?: Queue };

const STOPPED = new AppError("unavailable", "The console is stopping.");

function claimNext(queue: Queue, onlyChanges: boolean): JobRow | undefined {
  const at = now();
  const users = listWaitingUsers(db(), at);
  users.sort((a, b) => (queue.turns.get(a) ?? 0) - (queue.turns.get(b) ?? 0));
  for (const userId of users) {
    const job = transaction(
      (tx) => {
        const next = nextJobOf(tx, userId, at, onlyChanges);
        return next && updateJob(tx, next.id, "queued", { state: "running", error: null }) ? next : undefined;
      },
      { durable: false },
    );
    if (!job) continue;
    queue.turn += 1;
    queue.turns.set(userId, queue.turn);
    return { ...job, state: "running" };
  }
  return undefined;
}

async function runJob(queue: Queue, job: JobRow, controller: AbortController): Promise<void> {
  const { orgId, documentId, id: jobId } = job;
  const change = { orgId, documentId: documentId ?? undefined, jobId };
  const progress = reportProgress(job);
  try {
    knowledgeChanged(change);
    await queue.runners.run(job, { signal: controller.signal, progress: progress.report });
    progress.end();
    transaction((tx) => updateJob(tx, jobId, "running", { state: "done", step: null, finishedAt: now() }));
  } catch (error) {
    progress.end();
    if (controller.signal.reason === STOPPED) {
      // Not its fault: it goes on after the restart.
      transaction((tx) => updateJob(tx, jobId, "running", { state: "queued" }));
    } else if (!controller.signal.aborted) queue.runners.fail(job, error);
  } finally {
    knowledgeChanged({ ...change, documentId: findJob(db(), jobId)?.documentId ?? change.documentId });
  }
}

/** A job whose end could not be written, the disk being full for example, has nobody who works on it: it runs again. */
function requeueStranded(queue: Queue): void {
  for (const { id } of listJobsInState(db(), "running")) {
    if (queue.stopping || queue.running.has(id)) continue;
    transaction((tx) => updateJob(tx, id, "running", { state: "queued", runAt: now() + STRANDED_PAUSE }));
  }
}

function fill(queue: Queue): void {
  while (!queue.stopping && queue.running.size < SEATS_WITH_CHANGE) {
    const job = claimNext(queue, queue.running.size >= SEATS);
    if (!job) return;
    const controller = new AbortController();
    const done = runJob(queue, job, controller)
      .catch((error: unknown) => log.error("an ingestion job could not be put down as ended", { error }))
      .finally(() => {
        queue.running.delete(job.id);
        wakeQueue();
      });
    queue.running.set(job.id, { controller, done });
  }
}

/** Nobody catches what a timer throws: an error of the database must not end the process. */
function safely(work: () => void): void {
  try {
    work();
  } catch (error) {
    log.error("the ingestion queue could not be looked at", { error });
  }
}

/** Looks for jobs soon; call it after the commit that queued one. */
export function wakeQueue(): void {
  const queue = holder.quarterdeckIngestion;
  if (queue) setImmediate(() => safely(() => fill(queue)));
}

/** Ends a running job's work; its row was changed before. */
export function abortJob(id: string): void {
  const reason = new AppError("cancelled", "It was cancelled.");
  holder.quarterdeckIngestion?.running.get(id)?.controller.abort(reason);
}

const STEPS: JobRow["step"][] = ["fetching", "reading", "chunking", "embedding", "indexing"];

/** Whether a job got further than at any crash before. */
function isFurther({ step, done }: JobRow, before: JobInput["furthest"]): boolean {
  if (!step) return false;
  const ahead = STEPS.indexOf(step) - STEPS.indexOf(before?.step ?? null);
  return ahead > 0 || (ahead === 0 && done > (before?.done ?? 0));
}

/** What ran when the process died runs again, unless it has been what kills it. */
function recoverJobs(runners: JobRunners): number {
  const jobs = listJobsInState(db(), "running");
  for (const job of jobs) {
    const input = JobInput.parse(job.input);
    const further = isFurther(job, input.furthest);
    const crashes = further ? 1 : input.crashes + 1;
    const furthest = further && job.step ? { step: job.step, done: job.done } : input.furthest;
    const told = { ...input, crashes, furthest };
    transaction((tx) => updateJob(tx, job.id, "running", { state: "queued", input: told }));
    if (crashes < MOST_CRASHES) continue;
    transaction((tx) => updateJob(tx, job.id, "queued", { state: "running" }));
    runners.fail(
      { ...job, input: told },
      new AppError("unprocessable", "The console stopped each time it worked on this."),
    );
  }
  return jobs.length;
}

/** Begins to run jobs, first those that a crash cut off. @returns the way to stop */
export function startQueue(runners: JobRunners): () => Promise<void> {
  const again = recoverJobs(runners);
  if (again > 0) log.warn("ingestion goes on after the last stop", { count: again });
  const timer = setInterval(() => {
    safely(() => requeueStranded(queue));
    wakeQueue();
  }, LOOK_EVERY);
  timer.unref();
  const queue: Queue = { runners, running: new Map(), turns: new Map(), turn: 0, timer, stopping: false };
  holder.quarterdeckIngestion = queue;
  wakeQueue();
  return async () => {
    queue.stopping = true;
    clearInterval(timer);
    const running = [...queue.running.values()];
    for (const { controller } of running) controller.abort(STOPPED);
    await Promise.all(running.map(({ done }) => done));
    if (holder.quarterdeckIngestion === queue) delete holder.quarterdeckIngestion;
  };
}
