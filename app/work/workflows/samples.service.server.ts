import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { isStoredOutput, readOutput } from "./engine/outputs.server";
import { deletePin, listPins, type PinRow, putPin } from "./pins.repo.server";
import { requireWorkflow } from "./require-workflow.server";
import { findRunFor, findStepRow, lastBegunRun, listStepRows, type RunStepRow } from "./runs.repo.server";
import type { Pin } from "./runs.schema";
import type { Json } from "./steps/step-type";
import { isRoundKey } from "./workflows.shared";

/** A step's output for trying the steps after it. */
interface SampleOutput {
  output: Json;
  branch: string | null;
  isPinned: boolean;
}

/** What the last run left, and pinned outputs in its place. */
export interface Samples {
  /** The trigger's data; undefined if it never ran. */
  trigger: Json | undefined;
  steps: Record<string, SampleOutput>;
  /** When the last run started, as an ISO date. */
  ranAt: string | undefined;
}

export const NO_SAMPLES: Samples = { trigger: undefined, steps: {}, ranAt: undefined };

/** A step within a loop has the output of its first round. */
function outputsOf(rows: readonly RunStepRow[]): Samples["steps"] {
  const steps: Samples["steps"] = {};
  for (const { runId, key, stepId, state, output, branch } of rows) {
    if (state !== "succeeded" || isRoundKey(key) || Object.hasOwn(steps, stepId)) continue;
    steps[stepId] = { output: readOutput(runId, output), branch, isPinned: false };
  }
  return steps;
}

export function readSamples(actor: Actor, workflowId: string): Samples {
  authorise(actor, "workflows.write");
  requireWorkflow(db(), actor.orgId, workflowId);
  const run = lastBegunRun(db(), workflowId);
  const pinned = listPins(db(), workflowId).map(({ stepId, output, branch }): [string, SampleOutput] => [
    stepId,
    { output: (output ?? null) as Json, branch, isPinned: true },
  ]);
  return {
    trigger: run && ((run.payload ?? null) as Json),
    steps: { ...(run ? outputsOf(listStepRows(db(), run.id)) : {}), ...Object.fromEntries(pinned) },
    ranAt: run && isoTime(run.startedAt ?? run.createdAt),
  };
}

const toPin = ({ stepId, output, branch, runId, createdAt }: PinRow): Pin => ({
  stepId,
  output: output ?? null,
  branch,
  runId,
  pinnedAt: isoTime(createdAt),
});

export function listPinnedOutputs(actor: Actor, workflowId: string): Pin[] {
  authorise(actor, "workflows.write");
  requireWorkflow(db(), actor.orgId, workflowId);
  return listPins(db(), workflowId).map(toPin);
}

/** Keeps a step's output for tries; runs don't use it. @throws AppError `too_large` for an output that is a file */
export function pinOutput(actor: Actor, runId: string, key: string): Pin {
  authorise(actor, "workflows.write");
  const pin = transaction((tx) => {
    const run = findRunFor(tx, actor.orgId, runId);
    const step = run && findStepRow(tx, runId, key);
    if (!run || step?.state !== "succeeded")
      throw new AppError("not_found", "This step has no output. It may have been deleted.");
    if (isStoredOutput(runId, step.output))
      throw new AppError("too_large", "This output is too large to pin: at most 256 KB are allowed.");
    const { workflowId, workflowName } = run;
    const { stepId, branch } = step;
    const output = readOutput(runId, step.output);
    const row = { workflowId, stepId, output, branch, runId, createdAt: now() };
    putPin(tx, row);
    append(tx, actor, {
      action: "workflow.output_pinned",
      resource: `workflow:${workflowId}`,
      details: { workflowName, step: stepId },
    });
    return toPin(row);
  });
  publish({ topic: "workflows", orgId: actor.orgId });
  return pin;
}

/**
 * Pins the step's output of a run.
 * @param runId the last run by default
 * @throws AppError `not_found`
 */
export function pinStepOutput(actor: Actor, workflowId: string, stepId: string, runId?: string): Pin {
  authorise(actor, "workflows.write");
  requireWorkflow(db(), actor.orgId, workflowId);
  const run = runId === undefined ? lastBegunRun(db(), workflowId) : findRunFor(db(), actor.orgId, runId);
  const rows = run?.workflowId === workflowId ? listStepRows(db(), run.id) : [];
  const row = rows.find((one) => one.stepId === stepId && one.state === "succeeded" && !isRoundKey(one.key));
  if (!row) {
    const which = runId === undefined ? "The last run" : "This run";
    throw new AppError("not_found", `${which} has no output of this step. Run the workflow first.`);
  }
  return pinOutput(actor, row.runId, row.key);
}

export function unpinOutput(actor: Actor, workflowId: string, stepId: string): void {
  authorise(actor, "workflows.write");
  transaction((tx) => {
    const { name } = requireWorkflow(tx, actor.orgId, workflowId);
    if (!deletePin(tx, workflowId, stepId)) return;
    append(tx, actor, {
      action: "workflow.output_unpinned",
      resource: `workflow:${workflowId}`,
      details: { workflowName: name, step: stepId },
    });
  });
  publish({ topic: "workflows", orgId: actor.orgId });
}
