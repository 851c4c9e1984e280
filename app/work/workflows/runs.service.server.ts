import { Readable } from "node:stream";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { readInThread } from "~/core/read-pool.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf, registerActorNames } from "~/team/members/member-names.service.server";
import { registerPersonaUses } from "~/work/personas/personas.service.server";
import { dropEngine, engine } from "./engine/local-engine.server";
import { openOutput, readOutput } from "./engine/outputs.server";
import { assertNotPaused, assertRunnable, runRefusal } from "./engine/run-actor.server";
import { durationOf, NO_STEPS } from "./engine/run-states.server";
import { stepProgress } from "./engine/step-rows.server";
import { listenForEvents } from "./event-triggers.service.server";
import { workflowsByPersona } from "./references.service.server";
import { requireWorkflow } from "./require-workflow.server";
import {
  countEndedSteps,
  countOpenRuns,
  findRunFor,
  findStepRow,
  hourlyRunsQuery,
  listOpenRunRows,
  listRunRows,
  listStepRows,
  listWaitingApprovalRows,
  type NamedRun,
  type RunStepRow,
} from "./runs.repo.server";
import {
  type ActiveRun,
  LogEntry,
  type Run,
  type RunDetails,
  type RunQuery,
  RunState,
  type RunStep,
  type WaitingApproval,
} from "./runs.schema";
import type { Json } from "./steps/step-type";
import { failure } from "./triggers/event.triggers.server";
import { offerWorkflowTools } from "./workflow-tools.service.server";
import { findVersion } from "./workflows.repo.server";
import { WorkflowDefinition } from "./workflows.schema";
import { listWorkflowNames, takeOverWorkflow } from "./workflows.service.server";

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));
const msOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
const isoOrNull = (at: number | null) => (at === null ? null : isoTime(at));
const Log = z.array(LogEntry).catch([]);
const USED_KEY =
  "This idempotency key was used for a run that has been deleted. Use another key to run again.";
const GONE = "Run not found. It may have been deleted.";

function toRun(row: NamedRun): Run {
  return {
    id: row.id,
    workflowId: row.workflowId,
    workflowName: row.workflowName,
    version: row.version,
    state: row.state,
    trigger: { id: row.triggerId, type: row.triggerType },
    startedBy: row.startedBy === null ? null : { id: row.startedBy, name: nameOf(row.orgId, row.startedBy) },
    parentRunId: row.parentRunId,
    rerunOf: row.rerun && {
      runId: row.rerun.runId,
      step: row.rerun.stepId,
      edited: row.rerun.input !== undefined,
    },
    error: row.error,
    stepId: row.stepId,
    createdAt: isoTime(row.createdAt),
    startedAt: isoOrNull(row.startedAt),
    finishedAt: isoOrNull(row.finishedAt),
    durationMs: row.startedAt === null || row.finishedAt === null ? null : durationOf(row, row.finishedAt),
  };
}

/** Open steps end with a canceled run. */
function toStep(row: RunStepRow, runFinishedAt: number | null): RunStep {
  const isCutOff = runFinishedAt !== null && (row.state === "running" || row.state === "waiting");
  const state = isCutOff ? "cancelled" : row.state;
  const { key, stepId, type, attempts, branch, error, inputTokens, outputTokens, costMicros } = row;
  return {
    key,
    stepId,
    type,
    state,
    attempts,
    input: row.input ?? null,
    output: readOutput(row.runId, row.output),
    branch,
    error,
    log: Log.parse(row.log ?? []),
    inputTokens,
    outputTokens,
    costMicros,
    progress: (state === "running" && stepProgress(row.runId, key)) || null,
    startedAt: isoTime(row.startedAt),
    finishedAt: isoOrNull(isCutOff ? runFinishedAt : row.finishedAt),
  };
}

/** @throws AppError `conflict` if disabled, if its member may no longer run it, or for the key of a deleted run */
export async function runWorkflow(
  actor: Actor,
  workflowId: string,
  payload: Record<string, unknown>,
  idempotencyKey?: string,
): Promise<Run> {
  authorise(actor, "workflows.write");
  assertRunnable(requireWorkflow(db(), actor.orgId, workflowId));
  return startRun(actor, workflowId, payload, idempotencyKey);
}

/** Runs a workflow that may still be disabled; such a one has the rights of the person who tries it from then on. */
export async function tryWorkflow(actor: Actor, workflowId: string): Promise<Run> {
  authorise(actor, "workflows.write");
  const { enabled, runsAs, definition } = requireWorkflow(db(), actor.orgId, workflowId);
  if (WorkflowDefinition.parse(definition).steps.length === 0) throw new AppError("conflict", NO_STEPS);
  if (!enabled && runsAs !== actor.userId) takeOverWorkflow(actor, workflowId);
  return startRun(actor, workflowId, {});
}

async function startRun(
  actor: Actor,
  workflowId: string,
  payload: Record<string, unknown>,
  idempotencyKey?: string,
): Promise<Run> {
  const workflow = requireWorkflow(db(), actor.orgId, workflowId);
  assertNotPaused(workflow);
  const { triggers } = WorkflowDefinition.parse(workflow.definition);
  const trigger = triggers.find(({ type }) => type === "manual") ?? triggers[0];
  const { runId, repeated } = await engine().accept(actor, {
    workflowId,
    triggerId: trigger?.id ?? "manual",
    triggerType: "manual",
    payload: payload as Json,
    startedBy: actor.userId,
    ...(idempotencyKey ? { idempotencyKeys: [`manual:${actor.userId}:${idempotencyKey}`] } : {}),
  });
  if (repeated && !findRunFor(db(), actor.orgId, runId)) throw new AppError("conflict", USED_KEY);
  return readRun(actor, runId);
}

export function requireRun(actor: Actor, id: string): NamedRun {
  const row = findRunFor(db(), actor.orgId, id);
  if (!row) throw new AppError("not_found", GONE);
  return row;
}

export function pageRuns(actor: Actor, query: RunQuery): { runs: Run[]; next?: string } {
  authorise(actor, "screens.read");
  const results = listRunRows(db(), {
    orgId: actor.orgId,
    workflowId: query.workflow,
    state: query.state,
    from: msOf(query.from),
    before: msOf(query.before),
    limit: query.limit + 1,
    after: pages.decode(query.cursor),
  });
  const { rows, ...next } = pages.page(results, query.limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { runs: rows.map(toRun), ...next };
}

/** Newest first with progress; branches not taken count as remaining. */
export function listActiveRuns(actor: Actor, limit: number): ActiveRun[] {
  authorise(actor, "screens.read");
  return listOpenRunRows(db(), actor.orgId, limit).map((row) => {
    const definition = findVersion(db(), row.workflowId, row.version)?.definition;
    const { data } = WorkflowDefinition.safeParse(definition);
    return { ...toRun(row), done: countEndedSteps(db(), row.id), total: data?.steps.length ?? 0 };
  });
}

/** Runs that wait for an answer which the actor may give; the longest waiting first. */
export function listWaitingApprovals(actor: Actor, limit: number): WaitingApproval[] {
  if (!may(actor, "workflows.write")) return [];
  return listWaitingApprovalRows(db(), actor.orgId, limit).map(({ since, ...run }) => ({
    ...run,
    since: isoTime(since),
  }));
}

const HourlyRuns = z.tuple([z.number(), RunState, z.number()]);

/** Runs by hour since the epoch and by state, read in a thread. @param range in ms, at most a few days */
export async function readHourlyRuns(actor: Actor, range: { from: number; before: number }) {
  authorise(actor, "screens.read");
  const [rows = []] = await readInThread("screen", [hourlyRunsQuery(db(), { orgId: actor.orgId, ...range })]);
  return rows.map((row) => {
    const [hour, state, runs] = HourlyRuns.parse(row);
    return { hour, state, runs };
  });
}

export function countRuns(actor: Actor): Record<"queued" | "running" | "waiting", number> {
  authorise(actor, "screens.read");
  const counts = countOpenRuns(db(), actor.orgId);
  const of = (state: Run["state"]) => counts.find((one) => one.state === state)?.runs ?? 0;
  return { queued: of("queued"), running: of("running"), waiting: of("waiting") };
}

export function readRun(actor: Actor, id: string): RunDetails {
  authorise(actor, "screens.read");
  const row = requireRun(actor, id);
  const steps = listStepRows(db(), id).map((step) => toStep(step, row.finishedAt));
  // Data of strangers and other systems, and what somebody typed into a step's headers.
  const hidesData = !may(actor, "workflows.write");
  return {
    ...toRun(row),
    payload: hidesData ? null : (row.payload ?? null),
    output: hidesData ? null : readOutput(row.id, row.output),
    steps: hidesData ? steps.map((step) => ({ ...step, input: null, output: null, log: [] })) : steps,
    hidesData,
  };
}

const FailureData = z.object({ run: z.object({ id: z.string() }) });

/** The run whose failure started this one, unless it was deleted. */
export function readFailedRun(actor: Actor, id: string): Pick<Run, "id" | "workflowName"> | undefined {
  authorise(actor, "screens.read");
  const { triggerType, payload } = requireRun(actor, id);
  const { data } = triggerType === failure.type ? FailureData.safeParse(payload) : {};
  const failed = data && findRunFor(db(), actor.orgId, data.run.id);
  return failed && { id: failed.id, workflowName: failed.workflowName };
}

/** For outputs too large for a row. @throws AppError `not_found`; as `openOutput` */
export async function openStepOutput(actor: Actor, runId: string, key: string): Promise<Readable> {
  authorise(actor, "workflows.write");
  requireRun(actor, runId);
  const row = findStepRow(db(), runId, key);
  const bytes = row && (await openOutput(runId, row.output));
  if (!bytes) throw new AppError("not_found", "This step has no stored output.");
  return Readable.from([bytes]);
}

/** @throws AppError `conflict` if it has ended */
export function cancelRun(actor: Actor, id: string): Run {
  authorise(actor, "workflows.write");
  requireRun(actor, id);
  if (!engine().cancel(actor, id)) throw new AppError("conflict", "The run has already ended.");
  return readRun(actor, id);
}

/** Continues from the failed step. */
export function retryRun(actor: Actor, id: string): Run {
  authorise(actor, "workflows.write");
  requireRun(actor, id);
  if (!engine().retryFrom(actor, id)) throw new AppError("conflict", "Only a failed run can be retried.");
  return readRun(actor, id);
}

/** Uses the current version and the same data. */
/** Why a run of the same workflow may not begin; undefined if one may. */
export function refusalToRepeat(actor: Actor, workflowId: string): string | undefined {
  authorise(actor, "workflows.write");
  return runRefusal(requireWorkflow(db(), actor.orgId, workflowId));
}

export function repeatRun(actor: Actor, id: string): Promise<Run> {
  const { workflowId, payload } = requireRun(actor, id);
  const data = typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : {};
  return runWorkflow(actor, workflowId, data as Record<string, unknown>);
}

export function answerStep(
  actor: Actor,
  runId: string,
  key: string,
  approved: boolean,
  comment?: string,
): Run {
  authorise(actor, "workflows.write");
  const run = requireRun(actor, runId);
  const by = nameOf(actor.orgId, actor.userId);
  const goOn = transaction((tx) => {
    const answered = engine().answer(tx, runId, key, { approved, by, ...(comment ? { comment } : {}) });
    if (!answered)
      throw new AppError("conflict", "This step is no longer waiting for an answer. Reload the page.");
    append(tx, actor, {
      action: approved ? "workflow.step_approved" : "workflow.step_refused",
      resource: `run:${runId}`,
      details: { workflowName: run.workflowName, step: key },
    });
    return answered;
  });
  goOn();
  return readRun(actor, runId);
}

/** @returns a stop function; the next process continues the runs */
export function startWorkflows(): () => Promise<void> {
  const continued = engine().recover();
  if (continued > 0) log.warn("resumed workflow runs", { count: continued });
  const forgetNames = registerActorNames((actor) =>
    Object.fromEntries(listWorkflowNames(actor).map(({ id, name }) => [`workflow:${id}`, name])),
  );
  const stopListening = listenForEvents();
  const withdrawTools = offerWorkflowTools();
  const forgetUses = registerPersonaUses(workflowsByPersona);
  return async () => {
    stopListening();
    withdrawTools();
    forgetNames();
    forgetUses();
    await engine().stop();
    dropEngine();
  };
}
