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

/** Jobs that run at the same time. */
const SEATS = 2;
/** Between two looks for jobs whose time has come, in milliseconds. */
const LOOK_EVERY = 1000;
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

function claimNext(queue: Queue): JobRow | undefined {
  const at = now();
  const users = listWaitingUsers(db(), at);
  users.sort((a, b) => (queue.turns.get(a) ?? 0) - (queue.turns.get(b) ?? 0));
  for (const userId of users) {
    const job = transaction((tx) => {
      const next = nextJobOf(tx, userId, at);
      return next && updateJob(tx, next.id, "queued", { state: "running", error: null }) ? next : undefined;
    });
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
  knowledgeChanged(change);
  try {
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
    queue.running.delete(jobId);
    knowledgeChanged({ ...change, documentId: findJob(db(), jobId)?.documentId ?? change.documentId });
    wakeQueue();
  }
}

function fill(queue: Queue): void {
  while (!queue.stopping && queue.running.size < SEATS) {
    const job = claimNext(queue);
    if (!job) return;
    const controller = new AbortController();
    const done = runJob(queue, job, controller).catch((error: unknown) =>
      log.error("an ingestion job could not be put down as ended", { error }),
    );
    queue.running.set(job.id, { controller, done });
  }
}

/** Looks for jobs soon; call it after the commit that queued one. */
export function wakeQueue(): void {
  const queue = holder.quarterdeckIngestion;
  if (queue) setImmediate(() => fill(queue));
}

/** Ends a running job's work; its row was changed before. */
export function abortJob(id: string): void {
  const reason = new AppError("cancelled", "It was cancelled.");
  holder.quarterdeckIngestion?.running.get(id)?.controller.abort(reason);
}

/** What ran when the process died runs again, unless it has been what kills it. */
function recoverJobs(runners: JobRunners): number {
  const jobs = listJobsInState(db(), "running");
  for (const job of jobs) {
    const input = JobInput.parse(job.input);
    const crashes = input.crashes + 1;
    transaction((tx) => updateJob(tx, job.id, "running", { state: "queued", input: { ...input, crashes } }));
    if (crashes < MOST_CRASHES) continue;
    transaction((tx) => updateJob(tx, job.id, "queued", { state: "running" }));
    runners.fail(
      { ...job, input: { ...input, crashes } },
      new AppError("unprocessable", "The console stopped each time it worked on this."),
    );
  }
  return jobs.length;
}

/** Begins to run jobs, first those that a crash cut off. @returns the way to stop */
export function startQueue(runners: JobRunners): () => Promise<void> {
  const again = recoverJobs(runners);
  if (again > 0) log.warn("ingestion goes on after the last stop", { count: again });
  const timer = setInterval(wakeQueue, LOOK_EVERY);
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
