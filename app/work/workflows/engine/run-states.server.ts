import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { derivedId, newId } from "~/core/ids.server";
import type { RunFacts } from "~/core/telemetry.server";
import { namedSpan, readTrace, type TraceSpan, traceToKeep } from "~/core/trace-context.server";
import { append } from "~/platform/audit/audit.service.server";
import { startOnFailure } from "../event-triggers.service.server";
import { definitionOf, requireCallable, WORKFLOW_GONE } from "../require-workflow.server";
import {
  deleteRunKey,
  deleteUnfinishedSteps,
  findAcceptedRun,
  findRun,
  findStepRow,
  insertRun,
  listStepsIn,
  OPEN_STATES,
  putStep,
  type RunRow,
  type RunStepRow,
  recordRunKeys,
  updateRun,
} from "../runs.repo.server";
import { findStepType } from "../steps/index.server";
import type { Json, StepAt } from "../steps/step-type";
import { findWorkflowById, type WorkflowRow } from "../workflows.repo.server";
import { markApprovalRead, notifyFailedRun } from "./notify-run.server";
import { recordOutput } from "./outputs.server";
import { runActor, runTokenOf } from "./run-actor.server";

export interface Trigger {
  workflowId: string;
  triggerId: string;
  triggerType: string;
  payload: Json;
  /** A trigger with one of them again returns the same run, whose id follows from the last one. */
  idempotencyKeys?: readonly string[];
  /**
   * A `derivedId`, so that both copies of a console send the run's effects under the same idempotency keys; where the
   * keys differ between them. A new one is made if there is such a run.
   */
  runId?: string;
  startedBy?: string;
  /** Whose rights it has instead of the workflow's member's. */
  runsAs?: string;
  parentRunId?: string;
  depth?: number;
  /** Begins at a step, with finished steps of another run. */
  rerun?: NonNullable<RunRow["rerun"]>;
  /** Steps of that run that aren't repeated. */
  finished?: readonly RunStepRow[];
  /** In the transaction that adds the run. */
  whenAdded?(tx: Db, runId: string): void;
}

export interface Accepted {
  runId: string;
  repeated: boolean;
}

/** Maximum depth of nested workflow calls. */
const MAX_CALL_DEPTH = 5;

export const NO_STEPS = "The workflow has no steps. Add one first.";

/**
 * Queues a run, once per idempotency key.
 * @throws AppError `not_found`, `conflict` without steps
 */
export function acceptRun(tx: Db, actor: Actor, trigger: Trigger): Accepted {
  const { workflowId, idempotencyKeys: keys = [], rerun, finished = [] } = trigger;
  const workflow = findWorkflowById(tx, workflowId);
  if (!workflow) throw new AppError("not_found", WORKFLOW_GONE);
  const before = findAcceptedRun(tx, workflowId, keys);
  if (before) {
    // A signature under a known key is used up too.
    recordRunKeys(tx, keys, { workflowId, runId: before, createdAt: now() });
    return { runId: before, repeated: true };
  }
  const steps = definitionOf(workflowId, workflow.version).steps.length;
  if (steps === 0) throw new AppError("conflict", NO_STEPS);
  const key = keys.at(-1);
  const derived = trigger.runId ?? (key === undefined ? undefined : derivedId("run", workflowId, key));
  const runId = derived !== undefined && !findRun(tx, derived) ? derived : newId("run");
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
    runsAs: trigger.runsAs ?? null,
    token: runTokenOf(actor),
    trace: traceToKeep() ?? null,
    parentRunId: trigger.parentRunId ?? null,
    depth: trigger.depth ?? 0,
    rerun: rerun ?? null,
    createdAt: now(),
  });
  for (const row of finished) {
    putStep(tx, { ...row, runId });
    recordOutput(tx, runId, row.output);
  }
  if (rerun)
    append(tx, actor, {
      action: "workflow.run_rerun",
      resource: `run:${runId}`,
      details: { workflowName: workflow.name, step: rerun.stepId, of: rerun.runId, edited: "input" in rerun },
    });
  recordRunKeys(tx, keys, { workflowId, runId, createdAt: now() });
  trigger.whenAdded?.(tx, runId);
  append(tx, actor, {
    action: "workflow.executed",
    resource: `workflow:${workflowId}`,
    details: { workflowName: workflow.name, steps, runId, trigger: trigger.triggerType },
  });
  return { runId, repeated: false };
}

/** A child is accepted once for a step. */
const childKey = (runId: string, stepKey: string) => `${runId}:${stepKey}`;

/** Forgets the children of failed steps that ended without success, so that a retry calls their workflows again. */
function forgetEndedChildren(tx: Db, runId: string): void {
  for (const { key, output } of listStepsIn(tx, runId, "failed")) {
    const childId = (output as { runId?: string } | null)?.runId;
    const child = childId === undefined ? undefined : findRun(tx, childId);
    if (child?.state === "failed" || child?.state === "cancelled")
      deleteRunKey(tx, child.workflowId, childKey(runId, key));
  }
}

/** The deterministic trigger of a child workflow. @throws AppError if it can't be called */
export function childTrigger(run: RunRow, parent: WorkflowRow, at: StepAt, config: unknown) {
  const { workflow, payload } = config as { workflow: string; payload: Json };
  requireCallable(run.orgId, workflow);
  const depth = run.depth + 1;
  if (depth > MAX_CALL_DEPTH)
    throw new AppError("invalid", `Workflow calls can be nested at most ${MAX_CALL_DEPTH} levels deep.`);
  const trigger: Trigger = {
    workflowId: workflow,
    triggerId: "call",
    triggerType: "call",
    payload,
    parentRunId: run.id,
    depth,
    ...(run.runsAs ? { runsAs: run.runsAs } : {}),
    idempotencyKeys: [childKey(run.id, at.key)],
    runId: derivedId("run", run.id, at.key),
  };
  return { actor: runActor(parent, run), trigger };
}

export interface RunEnd {
  state: "succeeded" | "failed" | "cancelled";
  output: Json;
  error: string | null;
}

export interface Ending {
  state: RunEnd["state"];
  output?: Json;
  error?: string;
  stepId?: string | null;
}

/** Marks the questions as read that nobody has to answer any more. */
export function closeQuestions(tx: Db, run: RunRow, rows: readonly RunStepRow[]): void {
  for (const row of rows) if (row.state === "waiting") markApprovalRead(tx, run, row);
}

export const isOpenState = (state: RunRow["state"]): boolean =>
  (OPEN_STATES as readonly string[]).includes(state);

export function finishRun(tx: Db, run: Pick<RunRow, "id">, end: Ending): boolean {
  const finishedAt = now();
  const finished = updateRun(tx, run.id, OPEN_STATES, {
    state: end.state,
    output: end.output ?? null,
    error: end.error ?? null,
    ...(end.stepId === undefined ? {} : { stepId: end.stepId }),
    finishedAt,
  });
  const failed = finished && end.state === "failed" ? findRun(tx, run.id) : undefined;
  if (failed) {
    notifyFailedRun(tx, failed, end.error, finishedAt);
    startOnFailure(tx, failed, end.error);
  }
  return finished;
}

export function findEnd(runId: string): RunEnd | undefined {
  const row = findRun(db(), runId);
  if (!row) return { state: "cancelled", output: null, error: "The run was deleted." };
  if (isOpenState(row.state)) return undefined;
  const state = row.state === "succeeded" || row.state === "failed" ? row.state : "cancelled";
  return { state, output: (row.output ?? null) as Json, error: row.error };
}

/** Without the time between a failure and its retry, in ms. */
export const durationOf = (
  { startedAt, createdAt, idleMs }: Pick<RunRow, "startedAt" | "createdAt" | "idleMs">,
  finishedAt: number,
): number => Math.max(0, finishedAt - (startedAt ?? createdAt) - idleMs);

/** A run's span, below its caller's. */
export const runSpan = ({ id, trace }: Pick<RunRow, "id" | "trace">): TraceSpan =>
  namedSpan(id, trace ? readTrace(trace) : undefined);

export const stepSpan = (run: Pick<RunRow, "id" | "trace">, key: string): TraceSpan =>
  namedSpan(`${run.id}:${key}`, runSpan(run));

export function runFacts(runId: string): RunFacts | undefined {
  const run = findRun(db(), runId);
  const workflow = run && findWorkflowById(db(), run.workflowId);
  if (!workflow || run.finishedAt === null) return undefined;
  const { workflowId, triggerType, state, finishedAt } = run;
  const durationMs = durationOf(run, finishedAt);
  const trace = runSpan(run);
  return { runId, workflowId, workflowName: workflow.name, trigger: triggerType, state, durationMs, trace };
}

/** When a waiting step goes on without an answer, in ms since the epoch; undefined if never. */
export function dueTimeOf({ type, input, startedAt }: RunStepRow): number | undefined {
  const { seconds, timeoutHours } = (input ?? {}) as { seconds?: number; timeoutHours?: number };
  const control = findStepType(type)?.control;
  // The clock may have been set back since.
  const since = Math.min(startedAt, now());
  if (control === "delay") return since + (seconds ?? 0) * 1000;
  if (control === "approval" && timeoutHours) return since + timeoutHours * HOUR;
  return undefined;
}

/** When a waiting run goes on, in ms since the epoch: in the past if nothing holds it, `Infinity` if a person or child does. */
export function wakeTimeOf(run: Pick<RunRow, "id">): number {
  const waiting = listStepsIn(db(), run.id, "waiting");
  return waiting.length === 0 ? 0 : Math.min(...waiting.map(wakeTimeOfStep));
}

/** The same of a waiting step. */
export function wakeTimeOfStep(row: RunStepRow): number {
  const child = (row.output as { runId?: string } | null)?.runId;
  if (child !== undefined) return findEnd(child) ? 0 : Number.POSITIVE_INFINITY;
  return dueTimeOf(row) ?? Number.POSITIVE_INFINITY;
}

export interface Answer {
  approved: boolean;
  by: string;
  comment?: string;
}

const nameOfWorkflow = (tx: Db, id: string) => findWorkflowById(tx, id)?.name ?? id;

/** @returns the run; undefined if it has ended */
export function cancelWithin(tx: Db, actor: Actor, runId: string): RunRow | undefined {
  const run = findRun(tx, runId);
  if (!run || run.orgId !== actor.orgId || !finishRun(tx, run, { state: "cancelled" })) return undefined;
  closeQuestions(tx, run, listStepsIn(tx, runId, "waiting"));
  append(tx, actor, {
    action: "workflow.run_cancelled",
    resource: `run:${runId}`,
    details: { workflowName: nameOfWorkflow(tx, run.workflowId) },
  });
  return run;
}

/**
 * Answers and queues the run in one commit.
 * @param canAnswer whether an answer counts while the run goes on
 * @returns the run as it was; undefined if the step isn't waiting
 */
export function answerWithin(
  tx: Db,
  runId: string,
  key: string,
  answer: Answer,
  canAnswer: boolean,
): RunRow | undefined {
  const run = findRun(tx, runId);
  const row = findStepRow(tx, runId, key);
  if (!run || !isOpenState(run.state) || row?.state !== "waiting") return undefined;
  // A Delay or a called workflow asks nobody.
  const { control } = findStepType(row.type) ?? {};
  if (control !== undefined && control !== "approval") return undefined;
  if (run.state === "running" && !canAnswer) return undefined;
  updateRun(tx, runId, ["waiting"], { state: "queued" });
  markApprovalRead(tx, run, row);
  const { approved, by, comment = null } = answer;
  const { stepId } = row;
  const ended = { ...row, finishedAt: now() };
  if (control === "approval") {
    const branch = approved ? "approved" : "refused";
    putStep(tx, { ...ended, state: "succeeded", output: { approved, by, comment }, branch });
  } else if (approved) {
    // An interrupted step, which is repeated.
    putStep(tx, { ...row, state: "skipped" });
  } else {
    putStep(tx, { ...ended, state: "failed", error: `${by} declined to repeat the step.` });
    finishRun(tx, run, { state: "failed", error: `${stepId}: not repeated.`, stepId });
  }
  return run;
}

/** @returns undefined if the run hasn't failed */
export function retryWithin(tx: Db, actor: Actor, runId: string): RunRow | undefined {
  const run = findRun(tx, runId);
  if (!run || run.orgId !== actor.orgId || run.state !== "failed") return undefined;
  forgetEndedChildren(tx, runId);
  deleteUnfinishedSteps(tx, runId);
  updateRun(tx, runId, ["failed"], {
    state: "queued",
    // What a retry may call is up to who asks for it.
    token: runTokenOf(actor),
    runsAs: run.runsAs && actor.userId,
    error: null,
    stepId: null,
    finishedAt: null,
    idleMs: run.idleMs + (run.finishedAt === null ? 0 : Math.max(0, now() - run.finishedAt)),
    crashes: 0,
  });
  append(tx, actor, {
    action: "workflow.run_retried",
    resource: `run:${runId}`,
    details: { workflowName: nameOfWorkflow(tx, run.workflowId) },
  });
  return run;
}
