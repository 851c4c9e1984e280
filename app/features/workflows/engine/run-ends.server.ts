import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import type { RunFacts } from "~/core/telemetry.server";
import { findRun, listStepRows, OPEN_STATES, type RunRow, updateRun } from "../runs.repo.server";
import type { Json } from "../steps/step-type";
import { findWorkflowById } from "../workflows.repo.server";
import type { RunEnd } from "./engine";
import { notifyFailedRun } from "./notify-run.server";

export interface Ending {
  state: RunEnd["state"];
  output?: Json;
  error?: string;
  stepId?: string | null;
}

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
  if (failed) notifyFailedRun(tx, failed, end.error, finishedAt);
  return finished;
}

export function findEnd(runId: string): RunEnd | undefined {
  const row = findRun(db(), runId);
  if (!row) return { state: "cancelled", output: null, error: "The run was deleted." };
  if ((OPEN_STATES as readonly string[]).includes(row.state)) return undefined;
  const state = row.state === "succeeded" || row.state === "failed" ? row.state : "cancelled";
  return { state, output: (row.output ?? null) as Json, error: row.error };
}

/** Without the time between a failure and its retry, in ms. */
export const durationOf = (
  { startedAt, createdAt, idleMs }: Pick<RunRow, "startedAt" | "createdAt" | "idleMs">,
  finishedAt: number,
): number => Math.max(0, finishedAt - (startedAt ?? createdAt) - idleMs);

export function runFacts(runId: string): RunFacts | undefined {
  const run = findRun(db(), runId);
  const workflow = run && findWorkflowById(db(), run.workflowId);
  if (!workflow || run.finishedAt === null) return undefined;
  const { workflowId, triggerType, state, finishedAt } = run;
  const durationMs = durationOf(run, finishedAt);
  return { runId, workflowId, workflowName: workflow.name, trigger: triggerType, state, durationMs };
}

export function hasEndedChild(run: Pick<RunRow, "id">): boolean {
  return listStepRows(db(), run.id).some(({ state, output }) => {
    const child = state === "waiting" ? (output as { runId?: string } | null)?.runId : undefined;
    return child !== undefined && findEnd(child) !== undefined;
  });
}
