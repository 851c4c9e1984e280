import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import {
  deleteSteps,
  findRun,
  findStepRow,
  listStepRows,
  putStep,
  type RunRow,
  updateRun,
} from "../runs.repo.server";
import { findStepType } from "../steps/index.server";
import { findWorkflowById } from "../workflows.repo.server";
import { markApprovalRead } from "./notify-run.server";
import { runTokenOf } from "./run-actor.server";
import { finishRun } from "./run-ends.server";

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
  for (const row of listStepRows(tx, runId)) if (row.state === "waiting") markApprovalRead(tx, run, row);
  append(tx, actor, {
    action: "workflow.run_cancelled",
    resource: `run:${runId}`,
    details: { workflowName: nameOfWorkflow(tx, run.workflowId) },
  });
  return run;
}

/** Answers and queues the run in one commit. @returns the run; undefined if the step isn't waiting */
export function answerWithin(tx: Db, runId: string, key: string, answer: Answer): RunRow | undefined {
  const run = findRun(tx, runId);
  const row = findStepRow(tx, runId, key);
  if (run?.state !== "waiting" || row?.state !== "waiting") return undefined;
  updateRun(tx, runId, ["waiting"], { state: "queued" });
  markApprovalRead(tx, run, row);
  const type = findStepType(row.type);
  // An interrupted step: approval repeats it.
  if (type?.control !== "approval") {
    putStep(tx, {
      ...row,
      state: answer.approved ? "skipped" : "failed",
      error: answer.approved ? null : `${answer.by} declined to repeat the step.`,
      finishedAt: answer.approved ? null : now(),
    });
    if (!answer.approved)
      finishRun(tx, run, {
        state: "failed",
        error: `${row.stepId}: not repeated.`,
        stepId: row.stepId,
      });
    return run;
  }
  putStep(tx, {
    ...row,
    state: "succeeded",
    output: { approved: answer.approved, by: answer.by, comment: answer.comment ?? null },
    branch: answer.approved ? "approved" : "refused",
    finishedAt: now(),
  });
  return run;
}

/** @returns undefined if the run hasn't failed */
export function retryWithin(tx: Db, actor: Actor, runId: string): RunRow | undefined {
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
    // What a retry may call is up to who asks for it.
    token: runTokenOf(actor),
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
