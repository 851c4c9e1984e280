import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import type { RunFacts } from "~/core/telemetry.server";
import {
  findRun,
  listStepRows,
  OPEN_STATES,
  type RunRow,
  type RunStepRow,
  updateRun,
} from "../runs.repo.server";
import { findStepType } from "../steps/index.server";
import type { Json } from "../steps/step-type";
import { findWorkflowById } from "../workflows.repo.server";
import { notifyFailedRun } from "./notify-run.server";

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

/** When a waiting step goes on without an answer, in ms since the epoch; undefined if never. */
export function dueTimeOf({ type, input, startedAt }: RunStepRow): number | undefined {
  const { seconds, timeoutHours } = (input ?? {}) as { seconds?: number; timeoutHours?: number };
  const control = findStepType(type)?.control;
  // The clock may have been set back since.
  const since = Math.min(startedAt, now());
  if (control === "delay") return since + (seconds ?? 0) * 1000;
  if (control === "approval" && timeoutHours) return since + timeoutHours * 3_600_000;
  return undefined;
}

/** When a waiting run goes on, in ms since the epoch: in the past if nothing holds it, `Infinity` if a person or child does. */
export function wakeTimeOf(run: Pick<RunRow, "id">): number {
  const waiting = listStepRows(db(), run.id).filter(({ state }) => state === "waiting");
  const times = waiting.map((row) => {
    const child = (row.output as { runId?: string } | null)?.runId;
    if (child !== undefined) return findEnd(child) ? 0 : Number.POSITIVE_INFINITY;
    return dueTimeOf(row) ?? Number.POSITIVE_INFINITY;
  });
  return times.length === 0 ? 0 : Math.min(...times);
}
