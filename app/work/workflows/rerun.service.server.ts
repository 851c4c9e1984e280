import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { parsePastedJson } from "~/core/parse";
import { authorise } from "~/platform/rights/authorization.server";
import { parseConfig, stepLabel } from "./engine/fill-config";
import { downstreamOf, toGraph } from "./engine/graph";
import { engine } from "./engine/local-engine.server";
import { copyOutputs, deleteOutputs } from "./engine/outputs.server";
import { assertRunnable } from "./engine/run-actor.server";
import { definitionOf, requireWorkflow } from "./require-workflow.server";
import { listStepRows, type NamedRun, type RunStepRow } from "./runs.repo.server";
import type { RerunForm, RerunInput, RerunPlan, Run } from "./runs.schema";
import { readRun, requireRun } from "./runs.service.server";
import { findStepType } from "./steps/index.server";
import type { Json, StepType } from "./steps/step-type";
import type { WorkflowDefinition, WorkflowStep } from "./workflows.schema";
import { loopOf } from "./workflows.shared";

interface Target {
  run: NamedRun;
  row: RunStepRow;
  step: WorkflowStep;
  type: StepType;
  finished: RunStepRow[];
}

/** Rows that stand: what ended and doesn't come after the step. A failed one only if the run went on after it. */
function finishedBefore(run: NamedRun, definition: WorkflowDefinition, stepId: string): RunStepRow[] {
  const after = downstreamOf(toGraph(definition), stepId);
  const goesOn = new Set(
    definition.steps.filter(({ options }) => (options?.onError ?? "stop") !== "stop").map(({ id }) => id),
  );
  return listStepRows(db(), run.id).filter(
    ({ stepId: id, state }) =>
      id !== stepId && !after.has(id) && (state === "succeeded" || (state === "failed" && goesOn.has(id))),
  );
}

/** @throws AppError `not_found`, also if the workflow has no such step any more; `conflict` if the run goes on */
function targetOf(actor: Actor, runId: string, stepId: string): Target {
  const run = requireRun(actor, runId);
  if (run.finishedAt === null)
    throw new AppError("conflict", "The run hasn't ended. Wait, or cancel it first.");
  const rows = listStepRows(db(), runId);
  // A loop that failed or was left has the rows of its rounds alone.
  const row = rows.find(({ key }) => key === stepId) ?? rows.find(({ key }) => loopOf(key) === stepId);
  if (row?.stepId !== stepId)
    throw new AppError("not_found", "Step not found in this run. Choose one outside loops.");
  const { version } = requireWorkflow(db(), actor.orgId, run.workflowId);
  const definition = definitionOf(run.workflowId, version);
  const step = definition.steps.find(({ id, type }) => id === stepId && type === row.type);
  const type = findStepType(row.type);
  if (!step || !type)
    throw new AppError(
      "not_found",
      "The workflow no longer has this step. Choose another one, or run it again.",
    );
  return { run, row, step, type, finished: finishedBefore(run, definition, stepId) };
}

/** Why a step's input can't be edited; undefined if it can. */
function refuseEdit({ row, type }: Target): string | undefined {
  if (!type.run && !["delay", "approval", "call"].includes(type.control ?? ""))
    return "Its expressions are resolved again: a step that only steers the run has no input to edit.";
  const input = row.input as { truncated?: unknown } | null;
  if (input === null) return "Its expressions are resolved again: they failed in this run.";
  if (input.truncated === true)
    return "Its expressions are resolved again: its input is too large to be edited.";
  return undefined;
}

/** For the form, before anybody edits it. @throws AppError as `rerunFrom` */
export function planRerun(actor: Actor, runId: string, stepId: string): RerunPlan {
  authorise(actor, "workflows.write");
  const target = targetOf(actor, runId, stepId);
  assertRunnable(requireWorkflow(db(), actor.orgId, target.run.workflowId));
  const { row, step, type, finished } = target;
  const reason = refuseEdit(target);
  return {
    stepId,
    label: stepLabel(type, step),
    kept: finished.filter(({ key, stepId }) => key === stepId).length,
    ...(reason === undefined ? { json: JSON.stringify(row.input, null, 2) } : { reason }),
  };
}

/**
 * Starts a run of the current version at a step of an ended run, with the outputs of what came before.
 * @throws AppError `invalid` for an input that the step refuses; `conflict` as `runWorkflow`
 */
export async function rerunFrom(
  actor: Actor,
  runId: string,
  { step: stepId, input }: RerunInput,
): Promise<Run> {
  authorise(actor, "workflows.write");
  const target = targetOf(actor, runId, stepId);
  const { run, type, finished } = target;
  assertRunnable(requireWorkflow(db(), actor.orgId, run.workflowId));
  if (input !== undefined) {
    const refusal = refuseEdit(target);
    if (refusal) throw new AppError("conflict", refusal);
    parseConfig(type, input);
  }
  const id = newId("run");
  const at = now();
  try {
    const outputs = finished.map(({ output }) => output);
    await copyOutputs(runId, id, outputs);
    await engine().accept(actor, {
      workflowId: run.workflowId,
      triggerId: run.triggerId,
      triggerType: run.triggerType,
      payload: run.payload as Json,
      startedBy: actor.userId,
      // An edited step is its editor's, as an edited workflow is.
      ...(run.runsAs || input !== undefined ? { runsAs: actor.userId } : {}),
      runId: id,
      rerun: { runId, stepId, ...(input === undefined ? {} : { input }) },
      // Their usage is counted in the earlier run.
      finished: finished.map((row, index) => ({
        ...row,
        position: index + 1,
        attempts: 0,
        inputTokens: null,
        outputTokens: null,
        costMicros: null,
        startedAt: at,
        finishedAt: at,
      })),
    });
  } catch (error) {
    await deleteOutputs([id]);
    throw error;
  }
  return readRun(actor, id);
}

/** From the form: an input that was left as it is isn't an edit. @throws AppError `invalid` beside the field */
export async function rerunFromForm(
  actor: Actor,
  runId: string,
  form: z.infer<typeof RerunForm>,
): Promise<Run> {
  const { step, json } = form;
  const typed =
    json === undefined ? undefined : parsePastedJson(json, "Check its quotes, commas and brackets");
  const { row } = targetOf(actor, runId, step);
  if (typed === undefined || isDeepStrictEqual(typed, row.input)) return rerunFrom(actor, runId, { step });
  try {
    return await rerunFrom(actor, runId, { step, input: typed });
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid")
      throw new AppError("invalid", error.message, { fields: { json: [error.message] } });
    throw error;
  }
}
