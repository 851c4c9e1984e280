import { z } from "zod";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY, HOUR, MINUTE } from "~/core/durations";
import { derivedId } from "~/core/ids.server";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { engine, resumeRun } from "./engine/local-engine.server";
import { deleteOutputs, forgetOutputs } from "./engine/outputs.server";
import { canRun, PAUSED, runActor } from "./engine/run-actor.server";
import { NO_STEPS, type Trigger } from "./engine/run-states.server";
import { skipRun } from "./engine/skip-run.server";
import { eventRun, startsTooOften } from "./event-triggers.service.server";
import { checkSource, planDuePolls, planNext, pollJob, recordPollFault } from "./polls/polls.service.server";
import { definitionOf } from "./require-workflow.server";
import { deleteOldRunKeys, deleteRuns, hasOpenRun, listExpiredRuns } from "./runs.repo.server";
import type { Json } from "./steps/step-type";
import { dueRun } from "./sync-triggers.server";
import { findWorkflowById, updateWorkflowRow, type WorkflowRow } from "./workflows.repo.server";

/** Retention of runs in ms, and per workflow. */
const KEEP_MS = 30 * DAY;
const MAX_KEPT = 1000;
const BATCH = 100;
/** Retention of idempotency keys in ms, also of deleted runs; longer than the window of signed calls. */
const KEYS_KEPT = DAY;
const KEYS_BATCH = 500;

/** Whether nobody is left whose rights its runs could have; shown at the workflow and at the skipped run. */
function skipsPaused(
  workflow: WorkflowRow,
  trigger: Pick<Trigger, "triggerId" | "triggerType">,
  key: string,
): boolean {
  if (canRun(db(), workflow)) return false;
  transaction((tx) => {
    updateWorkflowRow(tx, workflow.id, { pausedReason: PAUSED });
    skipRun(tx, workflow, trigger, key, PAUSED);
  });
  return true;
}

const dueJob = defineJob({
  ...dueRun,
  title: "Start a scheduled workflow",
  timeoutMs: 60_000,
  retry: { attempts: 5, backoffMs: [1000, 5000, 30_000] },
  async run({ input: { workflowId, triggerId, dueAt = now() }, jobId }) {
    const workflow = findWorkflowById(db(), workflowId);
    if (!workflow?.enabled) return;
    // The job's id deduplicates retries.
    const key = `schedule:${jobId}`;
    const trigger = { triggerId, triggerType: "schedule" };
    if (skipsPaused(workflow, trigger, key)) return;
    const skip = (reason: string) => void transaction((tx) => skipRun(tx, workflow, trigger, key, reason));
    if (hasOpenRun(db(), workflowId, triggerId)) return skip("The previous run was still in progress.");
    if (definitionOf(workflowId, workflow.version).steps.length === 0) return skip(NO_STEPS);
    await engine().accept(runActor(workflow), {
      workflowId,
      ...trigger,
      payload: { scheduledAt: new Date(dueAt).toISOString() },
      idempotencyKeys: [key],
      runId: derivedId("run", workflowId, triggerId, dueAt),
    });
  },
});

const eventJob = defineJob({
  ...eventRun,
  title: "Start a workflow for an event",
  timeoutMs: 60_000,
  // The runs that it counts are those of the jobs before.
  concurrency: 1,
  retry: { attempts: 5, backoffMs: [1000, 5000, 30_000] },
  async run({ input: { workflowId, triggerId, triggerType, payload }, jobId }) {
    const workflow = findWorkflowById(db(), workflowId);
    if (!workflow?.enabled) return;
    const trigger = { triggerId, triggerType };
    const key = `event:${jobId}`;
    if (transaction((tx) => startsTooOften(tx, workflow, trigger))) return;
    if (skipsPaused(workflow, trigger, key)) return;
    await engine().accept(runActor(workflow), {
      workflowId,
      ...trigger,
      payload: payload as Json,
      idempotencyKeys: [key],
      runId: derivedId("run", jobId),
    });
  },
});

const resumeJob = defineJob({
  ...resumeRun,
  title: "Continue a workflow run after a delay",
  timeoutMs: 60_000,
  keepMs: 60 * 60_000,
  mustFinish: true,
  retry: { attempts: 10, backoffMs: [1000, 5000, 30_000] },
  run({ input: { runId }, succeed }) {
    // In one commit: a job that outlived its wake-up would swallow the next one of the same run.
    engine().resume(runId, succeed);
  },
});

const pollSourceJob = defineJob({
  ...pollJob,
  title: "Check a workflow's feed or mailbox",
  timeoutMs: 5 * MINUTE,
  keepMs: HOUR,
  // Slow sites leave a place for other work.
  concurrency: 1,
  run: ({ input, signal }) => checkSource(input, signal),
  onChange(tx, { input }, change) {
    if (change.state === "failed") recordPollFault(tx, input, change.error);
    if (change.state === "succeeded" || change.state === "failed" || change.state === "cancelled")
      planNext(tx, input);
  },
});

const duePollsJob = defineJob({
  kind: "workflows.polls",
  title: "Queue checks of feeds and mailboxes that are due",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: MINUTE,
  keepMs: HOUR,
  schedule: { everyMs: HOUR, atStart: true, input: {} },
  run: () => planDuePolls(),
});

const sweepRunsJob = defineJob({
  kind: "workflows.sweep",
  title: "Delete old workflow runs",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: 60 * 60_000,
  keepMs: 60 * 60_000,
  schedule: { everyMs: 60 * 60_000, atStart: true, input: {} },
  async run({ signal }) {
    while (!signal.aborted) {
      const ids = listExpiredRuns(db(), oldestKept(KEEP_MS), MAX_KEPT, BATCH);
      if (ids.length === 0) break;
      await deleteOutputs(ids);
      transaction((tx) => {
        forgetOutputs(tx, ids);
        deleteRuns(tx, ids);
      });
      await new Promise(setImmediate);
    }
    const deleteKeys = () => transaction((tx) => deleteOldRunKeys(tx, oldestKept(KEYS_KEPT), KEYS_BATCH));
    while (!signal.aborted && deleteKeys() === KEYS_BATCH) await new Promise(setImmediate);
  },
});

export const workflowJobs: readonly JobKind[] = [
  dueJob,
  eventJob,
  resumeJob,
  pollSourceJob,
  duePollsJob,
  sweepRunsJob,
];
