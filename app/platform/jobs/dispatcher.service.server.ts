import { runNext } from "~/core/background.server";
import { ClockWatch, now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type Db, db, transaction } from "~/core/db.server";
import { releaseReserveOn } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { publish } from "~/platform/events/events.service.server";
import { countCrash } from "./crashes.service.server";
import {
  emitJobChange,
  type JobKind,
  LANES,
  type Lane,
  onWake,
  reportChange,
  wakeDispatcher,
} from "./job-kind.service.server";
import {
  type JobRow,
  listJobsInState,
  listWaitingOwners,
  nextDueAt,
  nextJobOf,
  nextScheduleAt,
  queueDueJobs,
  updateJob,
} from "./jobs.repo.server";
import { endJob, runJob, STOPPED } from "./run-job.server";
import { fireSchedules, followTimeZone, mendTimes, syncSchedules } from "./schedules.service.server";

/** Requeues interrupted jobs. @returns how many */
function recoverJobs(kinds: ReadonlyMap<string, JobKind>): number {
  const interrupted = listJobsInState(db(), "running");
  for (const job of interrupted) {
    try {
      transaction((tx) => recoverJob(tx, job, kinds.get(job.kind)));
    } catch (error) {
      log.error("failed to requeue an interrupted job", { job: job.id, error });
    }
  }
  return interrupted.length;
}

function recoverJob(tx: Db, job: JobRow, kind: JobKind | undefined): void {
  const crashes = countCrash(job, kind !== undefined);
  if (kind && crashes === undefined) {
    const error = "The console stopped during each attempt.";
    endJob(tx, job, kind, { state: "failed", error, code: "unprocessable" });
    return;
  }
  updateJob(tx, job.id, ["running"], { state: "queued", crashes });
  const { attempts, error } = job;
  if (kind) reportChange(tx, kind, job, { state: "queued", attempts, runAt: now(), error });
}

interface RunningJob {
  lane: Lane;
  kind: string;
  controller: AbortController;
  done: Promise<void>;
}

interface Dispatcher {
  kinds: ReadonlyMap<string, JobKind>;
  running: Map<string, RunningJob>;
  /** Number of the last claim per owner, for fairness. */
  claims: Map<string, number>;
  claimCount: number;
  timer: NodeJS.Timeout | undefined;
  clock: ClockWatch;
  isWoken: boolean;
  /** Set after a database error until the retry, which each new job would start at once otherwise. */
  isPaused: boolean;
  isStopping: boolean;
}

/** Maximum delay of the timer, in ms: only a look at the clocks shows that the wall clock was set. */
const MAX_WAIT = 60_000;
/** Delay after a database error, in ms. */
const RETRY_DELAY = 5000;

// Jobs continue while development evaluates modules again.
const holder = () => kept("job dispatcher", (): { dispatcher?: Dispatcher | undefined } => ({}));

function availableKinds({ kinds, running }: Dispatcher, lane: Lane): string[] {
  const counts = new Map<string, number>();
  for (const { kind } of running.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...kinds.values()]
    .filter(
      ({ kind, lane: own, concurrency = LANES[lane] }) =>
        own === lane && (counts.get(kind) ?? 0) < concurrency,
    )
    .map(({ kind }) => kind);
}

function claimNext(dispatcher: Dispatcher, lane: Lane, owners: string[]): JobRow | undefined {
  const { claims } = dispatcher;
  owners.sort((a, b) => (claims.get(a) ?? 0) - (claims.get(b) ?? 0));
  const kinds = availableKinds(dispatcher, lane);
  for (const owner of owners) {
    const job = nextJobOf(db(), lane, owner, kinds);
    if (!job) continue;
    updateJob(db(), job.id, ["queued"], { state: "running", startedAt: now(), error: null });
    const kind = dispatcher.kinds.get(job.kind);
    if (kind) reportChange(db(), kind, job, { state: "running" });
    dispatcher.claimCount += 1;
    claims.set(owner, dispatcher.claimCount);
    return { ...job, state: "running" };
  }
  return undefined;
}

function start(dispatcher: Dispatcher, job: JobRow): void {
  const kind = dispatcher.kinds.get(job.kind);
  if (!kind) return;
  const controller = new AbortController();
  const entry: RunningJob = { lane: kind.lane, kind: job.kind, controller, done: Promise.resolve() };
  dispatcher.running.set(job.id, entry);
  entry.done = runJob(job, kind, controller, () => dispatcher.isStopping)
    .catch((error: unknown) => log.error("failed to record a job's end", { job: job.id, error }))
    .finally(() => {
      dispatcher.running.delete(job.id);
      wakeDispatcher();
      emitJobChange(job);
    });
  emitJobChange(job);
}

function hasWork(dispatcher: Dispatcher): boolean {
  if (dispatcher.running.size === 0) return true;
  const due = Math.min(nextDueAt(db()) ?? Infinity, nextScheduleAt(db()) ?? Infinity);
  if (due <= now()) return true;
  return (Object.keys(LANES) as Lane[]).some((lane) => {
    const used = [...dispatcher.running.values()].filter((job) => job.lane === lane).length;
    if (used >= LANES[lane]) return false;
    const kinds = availableKinds(dispatcher, lane);
    return listWaitingOwners(db(), lane).some((owner) => nextJobOf(db(), lane, owner, kinds));
  });
}

/** Claims all that fit in one commit, without a disk sync: after a power loss they are claimed again. */
function claimJobs(dispatcher: Dispatcher): JobRow[] {
  return transaction(
    (tx) => {
      const at = now();
      fireSchedules(tx, dispatcher.kinds, at);
      queueDueJobs(tx, at);
      const claimed: JobRow[] = [];
      for (const lane of Object.keys(LANES) as Lane[]) {
        let free = LANES[lane] - [...dispatcher.running.values()].filter((job) => job.lane === lane).length;
        const owners = free > 0 ? listWaitingOwners(tx, lane) : [];
        while (free > 0) {
          const job = claimNext(dispatcher, lane, owners);
          if (!job) break;
          // Counts toward the limit; `start` sets the work.
          const controller = new AbortController();
          dispatcher.running.set(job.id, { lane, kind: job.kind, controller, done: Promise.resolve() });
          claimed.push(job);
          free -= 1;
        }
      }
      return claimed;
    },
    { durable: false },
  );
}

function armTimer(dispatcher: Dispatcher): void {
  clearTimeout(dispatcher.timer);
  const due = Math.min(nextDueAt(db()) ?? Infinity, nextScheduleAt(db()) ?? Infinity);
  const wait = Math.min(Math.max(due - now(), 0), MAX_WAIT);
  dispatcher.timer = setTimeout(wakeDispatcher, wait).unref();
}

function dispatch(dispatcher: Dispatcher): void {
  dispatcher.isWoken = false;
  if (dispatcher.isStopping || dispatcher.isPaused) return;
  const before = new Set(dispatcher.running.keys());
  let claimed: JobRow[] = [];
  try {
    if (dispatcher.clock.hasJumped()) transaction(mendTimes);
    if (hasWork(dispatcher)) claimed = claimJobs(dispatcher);
  } catch (error) {
    for (const id of dispatcher.running.keys()) if (!before.has(id)) dispatcher.running.delete(id);
    retryDispatch(dispatcher, error);
    return;
  }
  for (const job of claimed) start(dispatcher, job);
  try {
    armTimer(dispatcher);
  } catch (error) {
    retryDispatch(dispatcher, error);
  }
}

function retryDispatch(dispatcher: Dispatcher, error: unknown): void {
  log.error("failed to read the job queue", { error });
  clearTimeout(dispatcher.timer);
  const freesSpace = () => [...dispatcher.kinds.values()].some((kind) => kind.freesSpace?.());
  const wait = releaseReserveOn(error, freesSpace) ? 0 : RETRY_DELAY;
  dispatcher.isPaused = wait > 0;
  dispatcher.timer = setTimeout(() => {
    dispatcher.isPaused = false;
    wakeDispatcher();
  }, wait).unref();
}

/** Aborts a running job; call it after the commit that cancels it. */
export function abortJob(id: string): void {
  const reason = new AppError("cancelled", "The job was canceled.");
  publish({ topic: "jobs", orgId: null });
  holder().dispatcher?.running.get(id)?.controller.abort(reason);
}

export function registeredKinds(): ReadonlyMap<string, JobKind> {
  return holder().dispatcher?.kinds ?? new Map();
}

/** Runs jobs, interrupted ones first. @returns a stop function that waits for running jobs */
export function startJobs(list: readonly JobKind[]): () => Promise<void> {
  const kinds = new Map(list.map((kind) => [kind.kind, kind]));
  const recovered = recoverJobs(kinds);
  if (recovered > 0) log.warn("interrupted jobs resumed", { count: recovered });
  syncSchedules(list);
  const dispatcher: Dispatcher = {
    kinds,
    running: new Map(),
    claims: new Map(),
    claimCount: 0,
    timer: undefined,
    clock: new ClockWatch(),
    isWoken: false,
    isPaused: false,
    isStopping: false,
  };
  holder().dispatcher = dispatcher;
  const stopWaking = onWake(() => {
    if (dispatcher.isWoken) return;
    dispatcher.isWoken = true;
    runNext("the job queue", () => dispatch(dispatcher));
  });
  wakeDispatcher();
  const stopFollowing = onConfigChanged(["settings:organisation"], () => {
    followTimeZone();
    wakeDispatcher();
  });
  return async () => {
    dispatcher.isStopping = true;
    stopWaking();
    stopFollowing();
    clearTimeout(dispatcher.timer);
    const running = [...dispatcher.running.values()];
    for (const { controller } of running) controller.abort(STOPPED);
    await Promise.all(running.map(({ done }) => done));
    if (holder().dispatcher === dispatcher) holder().dispatcher = undefined;
  };
}
