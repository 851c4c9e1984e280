import { EventEmitter } from "node:events";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { publish } from "~/features/events/events.service.server";
import { enqueue } from "~/features/jobs/enqueue.service.server";
import {
  deleteSteps,
  findRun,
  findRunByKey,
  findStepRow,
  insertRun,
  listOpenRuns,
  listOpenRunsOf,
  listStepRows,
  OPEN_STATES,
  putStep,
  type RunRow,
  updateRun,
} from "../runs.repo.server";
import { makeStepServices } from "../step-services.server";
import { findStepType } from "../steps/index.server";
import type { Json } from "../steps/step-type";
import { findWorkflowById, type WorkflowRow } from "../workflows.repo.server";
import type { Answer, StepAt } from "./durable";
import type { Accepted, RunEnd, RunEngine, Trigger } from "./engine";
import { graphOf } from "./graph-of-version.server";
import { Journal, Suspended } from "./journal.server";
import { resumeType } from "./resume-type";
import { runActor } from "./run-actor.server";
import { describeFailure } from "./run-failure.server";
import { runGraph } from "./run-graph";
import { RunQueue } from "./run-queue";

/** Runs at once: more don't end sooner on two cores, and each holds its journal in memory. */
const MOST_RUNNING = 50;
/** Time of one stretch of a run between two waits, in ms. */
const RUN_TIMEOUT = 60 * 60_000;
/** A run that was going on at so many crashes without finishing a step is failed. */
const MOST_CRASHES = 10;
/** How deep workflows call one another. */
const DEEPEST_CALL = 5;

const STOPPED = new Error("the console stops");

interface RunningRun {
  controller: AbortController;
  done: Promise<void>;
}

interface Ending {
  state: "succeeded" | "failed" | "cancelled";
  output?: Json;
  error?: string;
  stepId?: string | null;
}

/** The engine of one process over the console's own database. */
export class LocalEngine implements RunEngine {
  readonly #queue = new RunQueue(MOST_RUNNING);
  readonly #running = new Map<string, RunningRun>();
  readonly #ends = new EventEmitter().setMaxListeners(0);
  #stopping = false;
  #filling = false;

  /** Continues what the last process left. @returns how many runs */
  recover(): number {
    const open = transaction((tx) => {
      const rows = listOpenRuns(tx);
      for (const run of rows) {
        if (run.state !== "running") continue;
        const crashes = run.crashes + 1;
        if (crashes >= MOST_CRASHES)
          this.#finishWithin(tx, run, {
            state: "failed",
            error: "The console stopped during each attempt of this run.",
          });
        else updateRun(tx, run.id, ["running"], { state: "queued", crashes });
      }
      return rows.filter(({ state, crashes }) => state !== "running" || crashes + 1 < MOST_CRASHES);
    });
    for (const run of open) {
      if (run.state !== "waiting") this.#queue.add(run.workflowId, run.id);
      else if (this.#hasEndedChild(run)) this.resume(run.id);
    }
    this.#fill();
    return open.length;
  }

  #hasEndedChild(run: RunRow): boolean {
    return listStepRows(db(), run.id).some(({ state, output }) => {
      const child = state === "waiting" ? (output as { runId?: string } | null)?.runId : undefined;
      return child !== undefined && this.#endOf(child) !== undefined;
    });
  }

  async accept(actor: Actor, trigger: Trigger): Promise<Accepted> {
    if (this.#stopping)
      throw new AppError("unavailable", "The console is restarting. Try again in a moment.");
    const { workflowId, idempotencyKey } = trigger;
    const accepted = await groupedTransaction((tx) => {
      const workflow = findWorkflowById(tx, workflowId);
      if (!workflow) throw new AppError("not_found", "Workflow not found. It may have been deleted.");
      const before = idempotencyKey === undefined ? undefined : findRunByKey(tx, workflowId, idempotencyKey);
      if (before) return { runId: before.id, repeated: true };
      const runId = newId("run");
      insertRun(tx, {
        id: runId,
        orgId: workflow.orgId,
        workflowId,
        version: workflow.version,
        state: "queued",
        triggerId: trigger.triggerId,
        triggerType: trigger.triggerType,
        payload: trigger.payload,
        startedBy: trigger.startedBy ?? null,
        parentRunId: trigger.parentRunId ?? null,
        depth: trigger.depth ?? 0,
        idempotencyKey: idempotencyKey ?? null,
        createdAt: now(),
      });
      append(tx, actor, {
        action: "workflow.executed",
        resource: `workflow:${workflowId}`,
        details: {
          workflowName: workflow.name,
          steps: graphOf({ workflowId, version: workflow.version }).steps.length,
          runId,
          trigger: trigger.triggerType,
        },
      });
      return { runId, repeated: false };
    });
    if (!accepted.repeated) {
      this.#queue.add(workflowId, accepted.runId);
      this.#fill();
    }
    return accepted;
  }

  #fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    setImmediate(() => {
      this.#filling = false;
      for (let next = this.#queue.take(); next && !this.#stopping; next = this.#queue.take()) {
        const { workflowId, runId } = next;
        const controller = new AbortController();
        const done = this.#execute(runId, controller)
          .catch((error: unknown) => log.error("the end of a workflow run could not be written", { error }))
          .finally(() => {
            this.#running.delete(runId);
            this.#queue.done(workflowId);
            this.#fill();
          });
        this.#running.set(runId, { controller, done });
      }
    });
  }

  async #execute(runId: string, controller: AbortController): Promise<void> {
    const found = findRun(db(), runId);
    const workflow = found && findWorkflowById(db(), found.workflowId);
    if (!found || !workflow || !["queued", "waiting"].includes(found.state)) return;
    const run: RunRow = { ...found, state: "running", startedAt: found.startedAt ?? now() };
    const begun = groupedTransaction((tx) =>
      updateRun(tx, runId, ["queued", "waiting"], {
        state: "running",
        startedAt: run.startedAt,
        stepId: null,
      }),
    );
    this.#changed(run);
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(RUN_TIMEOUT)]);
    let journal: Journal | undefined;
    try {
      journal = this.#journalOf(run, workflow, signal);
      const { output } = await runGraph(
        graphOf(run),
        {
          trigger: { id: run.triggerId, type: run.triggerType, payload: run.payload as Json },
          run: { id: runId },
          workflow: { id: workflow.id, name: workflow.name },
        },
        journal,
        findStepType,
      );
      await begun;
      await this.#finish(run, { state: "succeeded", output });
      await journal.settled();
    } catch (error) {
      await begun.catch(() => undefined);
      // Everything noted so far comes before what is written about the run itself.
      await journal?.settled();
      await this.#leave(run, error, controller.signal);
    }
  }

  /** Writes why a run goes no further now. */
  async #leave(run: RunRow, error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof Suspended) {
      await groupedTransaction((tx) => {
        if (updateRun(tx, run.id, ["running"], { state: "waiting", stepId: error.stepId, crashes: 0 }))
          error.arrange(tx);
      });
      this.#changed(run);
      // It may have been answered, or its child may have ended, before it was written that it waits.
      if (this.#hasEndedChild(run)) this.resume(run.id);
      return;
    }
    if (signal.aborted) {
      // The next process continues it; a canceled run has its end already.
      if (signal.reason === STOPPED)
        await groupedTransaction((tx) => updateRun(tx, run.id, ["running"], { state: "queued" }));
      return;
    }
    const { message, stepId } =
      error instanceof DOMException && error.name === "TimeoutError"
        ? { message: `The run took longer than ${RUN_TIMEOUT / 60_000} minutes.`, stepId: null }
        : describeFailure(error);
    await this.#finish(run, { state: "failed", error: message, stepId });
  }

  #journalOf(run: RunRow, workflow: WorkflowRow, signal: AbortSignal): Journal {
    return new Journal({
      run,
      findType: findStepType,
      signal,
      actor: () => runActor(workflow),
      services: (at, stepSignal, onUsage) =>
        makeStepServices({
          actor: runActor(workflow),
          workflowId: workflow.id,
          runId: run.id,
          stepId: at.step.id,
          signal: stepSignal,
          onUsage,
          ...(at.step.options?.timeoutSeconds ? { timeoutMs: at.step.options.timeoutSeconds * 1000 } : {}),
        }),
      wakeAt: (tx, runId, at) => {
        enqueue(
          tx,
          resumeType,
          { runId },
          { orgId: run.orgId, runAt: at, dedupeKey: runId, subject: `run:${runId}` },
        );
      },
      startChild: (at, config) => this.#startChild(run, workflow, at, config),
      childEnd: (id) => {
        const end = this.#endOf(id);
        if (!end) return undefined;
        return end.state === "succeeded"
          ? { output: end.output }
          : { error: end.error ?? "It was canceled." };
      },
      onChange: () => this.#changed(run),
    });
  }

  async #startChild(run: RunRow, parent: WorkflowRow, at: StepAt, config: unknown): Promise<string> {
    const { workflow: id, payload } = config as { workflow: string; payload: Json };
    const child = findWorkflowById(db(), id);
    if (!child || child.orgId !== run.orgId)
      throw new AppError("not_found", "Workflow not found. It may have been deleted.");
    if (!child.enabled)
      throw new AppError("conflict", `The workflow "${child.name}" is disabled. Enable it first.`);
    if (run.depth + 1 > DEEPEST_CALL)
      throw new AppError("invalid", `Workflow calls can be nested at most ${DEEPEST_CALL} levels deep.`);
    const { runId } = await this.accept(runActor(parent), {
      workflowId: id,
      triggerId: "call",
      triggerType: "call",
      payload,
      parentRunId: run.id,
      depth: run.depth + 1,
      idempotencyKey: `${run.id}:${at.key}`,
    });
    return runId;
  }

  #endOf(runId: string): RunEnd | undefined {
    const row = findRun(db(), runId);
    if (!row) return { state: "cancelled", output: null, error: "The run was deleted." };
    if ((OPEN_STATES as readonly string[]).includes(row.state)) return undefined;
    const state = row.state === "succeeded" || row.state === "failed" ? row.state : "cancelled";
    return { state, output: (row.output ?? null) as Json, error: row.error };
  }

  #finishWithin(tx: Db, run: RunRow, end: Ending): boolean {
    return updateRun(tx, run.id, OPEN_STATES, {
      state: end.state,
      output: end.output ?? null,
      error: end.error ?? null,
      ...(end.stepId === undefined ? {} : { stepId: end.stepId }),
      finishedAt: now(),
    });
  }

  async #finish(run: RunRow, end: Ending): Promise<void> {
    await groupedTransaction((tx) => this.#finishWithin(tx, run, end));
    this.#announce(run);
  }

  #announce(run: Pick<RunRow, "id" | "orgId" | "parentRunId">): void {
    this.#ends.emit(run.id);
    this.#changed(run);
    if (run.parentRunId) this.resume(run.parentRunId);
  }

  #changed({ orgId }: Pick<RunRow, "orgId">): void {
    publish({ topic: "workflows", orgId });
  }

  ended(runId: string, signal: AbortSignal): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#ends.off(runId, onEnd);
        signal.removeEventListener("abort", onAbort);
      };
      const onAbort = () => {
        settle();
        reject(signal.reason);
      };
      const onEnd = () => {
        const end = this.#endOf(runId);
        if (!end) return;
        settle();
        resolve(end);
      };
      this.#ends.on(runId, onEnd);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      onEnd();
    });
  }

  cancel(actor: Actor, runId: string): boolean {
    const cancelled: RunRow[] = [];
    transaction((tx) => {
      const run = findRun(tx, runId);
      if (!run || run.orgId !== actor.orgId) return;
      const workflow = findWorkflowById(tx, run.workflowId);
      if (!this.#finishWithin(tx, run, { state: "cancelled" })) return;
      cancelled.push(run);
      append(tx, actor, {
        action: "workflow.run_cancelled",
        resource: `run:${runId}`,
        details: { workflowName: workflow?.name ?? run.workflowId },
      });
    });
    for (const run of cancelled) {
      this.#queue.remove(run.workflowId, run.id);
      this.#running.get(run.id)?.controller.abort(new AppError("cancelled", "The run was canceled."));
      this.#announce(run);
    }
    return cancelled.length > 0;
  }

  /** Cancels the open runs of a workflow that is deleted. @returns what to call after the commit */
  abandon(tx: Db, workflowId: string): () => void {
    const ids = listOpenRunsOf(tx, workflowId);
    return () => {
      for (const id of ids) {
        this.#queue.remove(workflowId, id);
        this.#running.get(id)?.controller.abort(new AppError("cancelled", "The workflow was deleted."));
        this.#ends.emit(id);
      }
    };
  }

  answer(runId: string, key: string, answer: Answer): boolean {
    const answered = transaction((tx) => {
      const run = findRun(tx, runId);
      const row = findStepRow(tx, runId, key);
      if (run?.state !== "waiting" || row?.state !== "waiting") return false;
      const type = findStepType(row.type);
      // A step that was cut off midway: approving repeats it.
      if (type?.control !== "approval") {
        putStep(tx, {
          ...row,
          state: answer.approved ? "skipped" : "failed",
          error: answer.approved ? null : `${answer.by} declined to repeat the step.`,
          finishedAt: answer.approved ? null : now(),
        });
        if (!answer.approved)
          this.#finishWithin(tx, run, {
            state: "failed",
            error: `${row.stepId}: not repeated.`,
            stepId: row.stepId,
          });
        return true;
      }
      putStep(tx, {
        ...row,
        state: "succeeded",
        output: { approved: answer.approved, by: answer.by, comment: answer.comment ?? null },
        branch: answer.approved ? "approved" : "refused",
        finishedAt: now(),
      });
      return true;
    });
    if (answered) this.resume(runId);
    return answered;
  }

  retryFrom(actor: Actor, runId: string): boolean {
    const queued = transaction((tx) => {
      const run = findRun(tx, runId);
      if (!run || run.orgId !== actor.orgId || run.state !== "failed") return undefined;
      const done = listStepRows(tx, runId).filter(({ state }) => state === "succeeded");
      deleteSteps(
        tx,
        runId,
        done.map(({ key }) => key),
      );
      updateRun(tx, runId, ["failed"], {
        state: "queued",
        error: null,
        stepId: null,
        finishedAt: null,
        crashes: 0,
      });
      const workflow = findWorkflowById(tx, run.workflowId);
      append(tx, actor, {
        action: "workflow.run_retried",
        resource: `run:${runId}`,
        details: { workflowName: workflow?.name ?? run.workflowId },
      });
      return run;
    });
    if (!queued) return false;
    this.#queue.add(queued.workflowId, runId);
    this.#fill();
    this.#changed(queued);
    return true;
  }

  resume(runId: string): void {
    const run = findRun(db(), runId);
    if (run?.state !== "waiting" || this.#running.has(runId)) return;
    this.#queue.remove(run.workflowId, runId);
    this.#queue.add(run.workflowId, runId);
    this.#fill();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort(STOPPED);
    await Promise.all(running.map(({ done }) => done));
  }
}
