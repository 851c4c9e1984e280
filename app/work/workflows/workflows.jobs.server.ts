import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { newId, newSecret } from "~/core/ids.server";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { oldestKept, removeSchedules, setSchedule } from "~/platform/jobs/schedules.service.server";
import { engine, resumeRun } from "./engine/local-engine.server";
import { deleteOutputs } from "./engine/outputs.server";
import { canRun, PAUSED, runActor } from "./engine/run-actor.server";
import { NO_STEPS } from "./engine/run-states.server";
import { definitionOf } from "./require-workflow.server";
import {
  deleteOldRunKeys,
  deleteRuns,
  findAcceptedRun,
  hasOpenRun,
  insertRun,
  listExpiredRuns,
  recordRunKeys,
} from "./runs.repo.server";
import {
  deleteHook,
  findWorkflowById,
  insertHook,
  listHooks,
  updateWorkflowRow,
  type WorkflowRow,
} from "./workflows.repo.server";
import type { WorkflowDefinition, WorkflowTrigger } from "./workflows.schema";

/** Retention of runs in ms, and per workflow. */
const KEEP_MS = 30 * DAY;
const MAX_KEPT = 1000;
const BATCH = 100;
/** Retention of idempotency keys in ms, also of deleted runs; longer than the window of signed calls. */
const KEYS_KEPT = DAY;
const KEYS_BATCH = 500;

/** Records a skipped due time with the reason. */
function recordSkipped(workflow: WorkflowRow, triggerId: string, key: string, reason: string): void {
  const at = now();
  transaction((tx) => {
    if (findAcceptedRun(tx, workflow.id, [key])) return;
    const id = newId("run");
    insertRun(tx, {
      id,
      orgId: workflow.orgId,
      workflowId: workflow.id,
      version: workflow.version,
      state: "skipped",
      triggerId,
      triggerType: "schedule",
      payload: {},
      error: reason,
      createdAt: at,
      finishedAt: at,
    });
    recordRunKeys(tx, [key], { workflowId: workflow.id, runId: id, createdAt: at });
  });
}

const dueJob = defineJob({
  kind: "workflows.due",
  title: "Start a scheduled workflow",
  input: z.object({ workflowId: z.string(), triggerId: z.string() }),
  lane: "interactive",
  timeoutMs: 60_000,
  retry: { attempts: 5, backoffMs: [1000, 5000, 30_000] },
  async run({ input: { workflowId, triggerId }, jobId }) {
    const workflow = findWorkflowById(db(), workflowId);
    if (!workflow?.enabled) return;
    // The job's id deduplicates retries.
    const key = `schedule:${jobId}`;
    const skip = (reason: string) => recordSkipped(workflow, triggerId, key, reason);
    if (!canRun(db(), workflow)) {
      transaction((tx) => updateWorkflowRow(tx, workflowId, { pausedReason: PAUSED }));
      return skip(PAUSED);
    }
    if (hasOpenRun(db(), workflowId, triggerId)) return skip("The previous run was still in progress.");
    if (definitionOf(workflowId, workflow.version).steps.length === 0) return skip(NO_STEPS);
    await engine().accept(runActor(workflow), {
      workflowId,
      triggerId,
      triggerType: "schedule",
      payload: { scheduledAt: new Date(now()).toISOString() },
      idempotencyKeys: [key],
    });
  },
});

const scheduleKey = (workflowId: string, triggerId = "") => `workflow:${workflowId}:${triggerId}`;

/** Syncs schedules and webhooks with the definition. Webhooks keep their addresses. */
export function syncTriggers(tx: Db, workflow: WorkflowRow, { triggers }: WorkflowDefinition): void {
  const { id: workflowId, orgId, enabled } = workflow;
  const of = (type: WorkflowTrigger["type"]) => triggers.filter((trigger) => trigger.type === type);
  const schedules = enabled ? of("schedule") : [];
  const keys = schedules.map(({ id }) => scheduleKey(workflowId, id));
  removeSchedules(tx, scheduleKey(workflowId), new Set(keys));
  for (const { id, config } of schedules) {
    const { cron = "0 9 * * *", timeZone } = config as { cron?: string; timeZone?: string };
    setSchedule(tx, dueJob, {
      key: scheduleKey(workflowId, id),
      orgId,
      cron,
      timeZone: timeZone || null,
      input: { workflowId, triggerId: id },
    });
  }
  const hooks = new Map(listHooks(tx, workflowId).map((hook) => [hook.triggerId, hook]));
  for (const { id } of of("webhook")) if (!hooks.delete(id)) addHook(tx, workflow, id);
  for (const triggerId of hooks.keys()) deleteHook(tx, workflowId, triggerId);
}

export function removeTriggers(tx: Db, workflowId: string): void {
  removeSchedules(tx, scheduleKey(workflowId));
}

function addHook(tx: Db, { id: workflowId, orgId }: WorkflowRow, triggerId: string): string {
  const token = newSecret();
  insertHook(tx, { token, orgId, workflowId, triggerId, createdAt: now() });
  return token;
}

/** The old address returns 404. */
export function rotateHook(tx: Db, workflow: WorkflowRow, triggerId: string): string {
  deleteHook(tx, workflow.id, triggerId);
  return addHook(tx, workflow, triggerId);
}

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
      transaction((tx) => deleteRuns(tx, ids));
      await new Promise(setImmediate);
    }
    const deleteKeys = () => transaction((tx) => deleteOldRunKeys(tx, oldestKept(KEYS_KEPT), KEYS_BATCH));
    while (!signal.aborted && deleteKeys() === KEYS_BATCH) await new Promise(setImmediate);
  },
});

export const workflowJobs: readonly JobKind[] = [dueJob, resumeJob, sweepRunsJob];
