import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { untilAborted } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { AppError, RESTARTING } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { reportRun } from "~/core/telemetry.server";
import { inTrace } from "~/core/trace-context.server";
import { publish } from "~/platform/events/events.service.server";
import { countCrash } from "~/platform/jobs/crashes.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { findRun, listOpenRuns, listOpenRunsOf, type RunRow, updateRun } from "../runs.repo.server";
import { findWorkflowById, type WorkflowRow } from "../workflows.repo.server";
import { describeFailure, Suspended } from "./failures.server";
import { Journal } from "./journal.server";
import { runGraph } from "./run-graph";
import { RunQueue } from "./run-queue";
import {
  type Accepted,
  type Answer,
  acceptRun,
  answerWithin,
  cancelWithin,
  childTrigger,
  closeQuestions,
  type Ending,
  findEnd,
  finishRun,
  type RunEnd,
  retryWithin,
  runFacts,
  runSpan,
  type Trigger,
  wakeTimeOf,
} from "./run-states.server";

/** Resumes a run after a delay or time limit. */
export const resumeRun = declareJob({
  kind: "workflows.resume",
  input: z.object({ runId: z.string() }),
  lane: "interactive",
});

/** More aren't faster on two cores, and each holds its journal in memory. */
const MAX_RUNNING = 50;
/** Maximum time between two waits (ms). */
const RUN_TIMEOUT = 60 * MINUTE;
/** Crash-free time before another run starts (ms). */
const PROBATION = 5000;

/** Delay after a write that the database refused, in ms: the disk may be full. */
const RECORD_RETRY = 1000;

const STOPPED = new Error("the console stops");
const TIMED_OUT = new AppError(
  "timeout",
  `The run took longer than ${RUN_TIMEOUT / MINUTE} minutes. Split the workflow into shorter ones.`,
);

interface RunningRun {
  controller: AbortController;
  done: Promise<void>;
  /** Once it is read from the disk. */
  journal?: Journal;
}

/** Runs in this process over the console's database. */
class Engine {
  readonly #queue = new RunQueue(MAX_RUNNING);
  readonly #running = new Map<string, RunningRun>();
  readonly #ends = new EventEmitter().setMaxListeners(0);
  #stopping = false;
  #filling = false;

  /** Resumes unfinished runs after a start. @returns how many */
  recover(): number {
    const open = transaction((tx) => {
      const rows = listOpenRuns(tx);
      const isAlone = rows.filter(({ state }) => state === "running").length === 1;
      return rows.flatMap((run) => {
        if (run.state === "queued") return [run];
        if (run.state === "waiting") return this.#isFree(tx, run) ? [run] : [];
        const crashes = countCrash(run, isAlone);
        if (crashes !== undefined) {
          const counted = { state: "queued" as const, crashes };
          updateRun(tx, run.id, ["running"], counted);
          return [{ ...run, ...counted }];
        }
        finishRun(tx, run, {
          state: "failed",
          error: "The console stopped during each attempt of this run.",
        });
        return [];
      });
    });
    this.#queue.startSlowly(open.reduce((max, { crashes }) => Math.max(max, crashes), 0));
    // Runs that crashed most go first: alone, while the concurrency is still low.
    for (const run of open.toSorted((a, b) => b.crashes - a.crashes)) this.#queue.add(run.workflowId, run.id);
    this.#fill();
    return open.length;
  }

  /** Queues a waiting run that nothing holds any more, and arranges the wake-up of one that sleeps. */
  #isFree(tx: Db, run: RunRow): boolean {
    const at = wakeTimeOf(run);
    if (at <= now()) return updateRun(tx, run.id, ["waiting"], { state: "queued" });
    if (at !== Number.POSITIVE_INFINITY) this.#wakeAt(tx, run, at);
    return false;
  }

  #wakeAt(tx: Db, { id: runId, orgId }: RunRow, at: number): void {
    enqueue(tx, resumeRun, { runId }, { orgId, runAt: at, dedupeKey: runId, subject: `run:${runId}` });
  }

  async accept(actor: Actor, trigger: Trigger): Promise<Accepted> {
    if (this.#stopping) throw new AppError("unavailable", RESTARTING);
    const accepted = await groupedTransaction((tx) => acceptRun(tx, actor, trigger));
    if (!accepted.repeated) {
      this.#queue.add(trigger.workflowId, accepted.runId);
      this.#fill();
    }
    return accepted;
  }

  #fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    runNext("the queue of workflow runs", () => {
      this.#filling = false;
      for (let next = this.#queue.take(); next && !this.#stopping; next = this.#queue.take()) {
        const { workflowId, runId } = next;
        if (this.#queue.isSlow) setTimeout(() => this.#raise(), PROBATION).unref();
        const running: RunningRun = { controller: new AbortController(), done: Promise.resolve() };
        this.#running.set(runId, running);
        running.done = this.#execute(runId, running)
          .catch((error: unknown) => {
            log.error("could not record the end of a workflow run", { runId, error });
            return this.#takeUpAgain(runId);
          })
          .finally(() => {
            // A run that was resumed meanwhile may be running again.
            if (this.#running.get(runId) === running) this.#running.delete(runId);
            this.#queue.done(workflowId);
            this.#raise();
            this.#fill();
          });
      }
    });
  }

  /** Replays a run whose end couldn't be recorded, once the database takes writes again; else the next start does. */
  async #takeUpAgain(runId: string): Promise<void> {
    while (!this.#stopping) {
      await delay(RECORD_RETRY);
      try {
        const run = transaction((tx) => {
          updateRun(tx, runId, ["running"], { state: "queued" });
          return findRun(tx, runId);
        });
        if (run?.state === "queued") this.#enqueue(run);
        return;
      } catch (error) {
        log.error("could not queue a workflow run again", { runId, error });
      }
    }
  }

  /** Raises the concurrency after repeated crashes. */
  #raise(): void {
    if (!this.#queue.isSlow) return;
    this.#queue.raise();
    this.#fill();
  }

  async #execute(runId: string, running: RunningRun): Promise<void> {
    const row = findRun(db(), runId);
    const workflow = row && findWorkflowById(db(), row.workflowId);
    if (row?.state !== "queued" || !workflow) return;
    // The queue may have been filled by another caller.
    await inTrace(runSpan(row), () => this.#executeRow(row, workflow, running));
  }

  async #executeRow(row: RunRow, workflow: WorkflowRow, running: RunningRun): Promise<void> {
    const { controller } = running;
    const runId = row.id;
    const run: RunRow = { ...row, state: "running", startedAt: row.startedAt ?? now() };
    const begun = groupedTransaction((tx) =>
      updateRun(tx, runId, ["queued"], { state: "running", startedAt: run.startedAt, stepId: null }),
    );
    this.#changed(run);
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(TIMED_OUT), RUN_TIMEOUT).unref();
    let journal: Journal | undefined;
    try {
      // If a step blocks the process until it is killed, the next start counts that as this run's crash.
      await begun;
      journal = this.#journalOf(run, workflow, signal);
      running.journal = journal;
      await this.#finish(run, { state: "succeeded", output: await runGraph(journal) }, journal);
      await journal.settled();
    } catch (error) {
      await begun.catch(() => undefined);
      // The journal is written before the run's state.
      await journal?.settled();
      await this.#recordStop(run, error, signal, journal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records the reason why a run stopped. */
  async #recordStop(run: RunRow, error: unknown, signal: AbortSignal, journal?: Journal): Promise<void> {
    if (error instanceof Suspended) {
      const stepId = error.at.step.id;
      await groupedTransaction((tx) => {
        // Its branches are arranged already, and one of them may have been answered since.
        const held = journal?.held() ?? [];
        if (!updateRun(tx, run.id, ["running"], { state: "waiting", stepId, crashes: 0 })) return;
        if (held.length === 0) error.arrange(tx);
        else if (held.some(({ state }) => state !== "waiting"))
          updateRun(tx, run.id, ["waiting"], { state: "queued" });
        else if (Number.isFinite(wakeTimeOf(run))) this.#wakeAt(tx, run, wakeTimeOf(run));
      });
      this.#changed(run);
      // A child's result may precede the waiting state.
      if (findRun(db(), run.id)?.state === "queued") this.#enqueue(run);
      else if (wakeTimeOf(run) <= now()) this.resume(run.id);
      return;
    }
    if (signal.aborted && signal.reason !== TIMED_OUT) {
      // The next process resumes it; a cancellation is already recorded.
      if (signal.reason === STOPPED)
        await groupedTransaction((tx) => updateRun(tx, run.id, ["running"], { state: "queued" }));
      return;
    }
    const { message, stepId } = describeFailure(error);
    await this.#finish(run, { state: "failed", error: message, stepId }, journal);
  }

  #journalOf(run: RunRow, workflow: WorkflowRow, signal: AbortSignal): Journal {
    return new Journal({
      run,
      workflow,
      signal,
      wakeAt: (tx, at) => this.#wakeAt(tx, run, at),
      startChild: async (at, config) => {
        const { actor, trigger } = childTrigger(run, workflow, at, config);
        return (await this.accept(actor, trigger)).runId;
      },
      onChange: (isProgress) => {
        if (isProgress) this.#raise();
        this.#changed(run);
      },
    });
  }

  async #finish(run: RunRow, end: Ending, journal?: Journal): Promise<void> {
    await groupedTransaction((tx) => {
      if (finishRun(tx, run, end)) closeQuestions(tx, run, journal?.held() ?? []);
    });
    this.#announce(run);
  }

  #announce(run: Pick<RunRow, "id" | "orgId" | "parentRunId">): void {
    this.#ends.emit(run.id);
    reportRun(() => runFacts(run.id));
    this.#changed(run);
    if (run.parentRunId) this.resume(run.parentRunId);
  }

  #changed({ orgId }: Pick<RunRow, "orgId">): void {
    publish({ topic: "workflows", orgId });
  }

  /** @throws the signal's reason */
  async ended(runId: string, signal: AbortSignal): Promise<RunEnd> {
    for (;;) {
      const end = findEnd(runId);
      if (end) return end;
      await untilAborted(once(this.#ends, runId, { signal }), signal);
    }
  }

  /** @returns false if it has ended */
  cancel(actor: Actor, runId: string): boolean {
    const run = transaction((tx) => cancelWithin(tx, actor, runId));
    if (!run) return false;
    this.#queue.remove(run.workflowId, runId);
    this.#running.get(runId)?.controller.abort(new AppError("cancelled", "The run was canceled."));
    this.#announce(run);
    return true;
  }

  /** @returns a function for after the commit */
  abandon(tx: Db, workflowId: string): () => void {
    const runs = listOpenRunsOf(tx, workflowId);
    return () => {
      for (const { id, parentRunId } of runs) {
        this.#queue.remove(workflowId, id);
        this.#running.get(id)?.controller.abort(new AppError("cancelled", "The workflow was deleted."));
        this.#ends.emit(id);
        if (parentRunId) this.resume(parentRunId);
      }
    };
  }

  /** @returns a function for after the commit; undefined if the step isn't waiting */
  answer(tx: Db, runId: string, key: string, answer: Answer): (() => void) | undefined {
    const running = this.#running.get(runId);
    const canAnswer = running !== undefined && running.journal?.isAsking(key) !== false;
    const run = answerWithin(tx, runId, key, answer, canAnswer);
    if (!run) return undefined;
    return () => {
      if (findEnd(runId)) {
        running?.controller.abort(new AppError("cancelled", "A person ended the run."));
        this.#announce(run);
      } else if (run.state === "waiting") this.#enqueue(run);
      else running?.journal?.wake();
    };
  }

  /** @returns false if the run hasn't failed */
  retryFrom(actor: Actor, runId: string): boolean {
    const queued = transaction((tx) => retryWithin(tx, actor, runId));
    if (!queued) return false;
    this.#enqueue(queued);
    return true;
  }

  /** Queues a waiting run, and wakes the branches of one that goes on. @param within runs in the same commit */
  resume(runId: string, within: (tx: Db) => void = () => undefined): void {
    const run = transaction((tx) => {
      within(tx);
      return updateRun(tx, runId, ["waiting"], { state: "queued" }) ? findRun(tx, runId) : undefined;
    });
    if (run) this.#enqueue(run);
    else this.#running.get(runId)?.journal?.wake();
  }

  /** Its state on disk is `queued`, so that the next process takes it up if this one can't. */
  #enqueue(run: RunRow): void {
    this.#queue.add(run.workflowId, run.id);
    this.#fill();
    this.#changed(run);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort(STOPPED);
    await Promise.all(running.map(({ done }) => done));
  }
}

const holder = () => kept("workflow engine", (): { engine?: Engine | undefined } => ({}));

export function engine(): Engine {
  const here = holder();
  here.engine ??= new Engine();
  return here.engine;
}

export function dropEngine(): void {
  holder().engine = undefined;
}
