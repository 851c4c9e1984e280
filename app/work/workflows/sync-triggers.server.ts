import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { newSecret } from "~/core/ids.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { removeSchedules, setSchedule } from "~/platform/jobs/schedules.service.server";
import { syncPolls } from "./polls/polls.service.server";
import { deleteHook, insertHook, listHooks, type WorkflowRow } from "./workflows.repo.server";
import type { WorkflowDefinition, WorkflowTrigger } from "./workflows.schema";

/** Starts a scheduled run. */
export const dueRun = declareJob({
  kind: "workflows.due",
  input: z.object({ workflowId: z.string(), triggerId: z.string(), dueAt: z.int().optional() }),
  lane: "interactive",
});

const scheduleKey = (workflowId: string, triggerId = "") => `workflow:${workflowId}:${triggerId}`;

/** Syncs schedules, webhooks, forms and checks with the definition. Addresses stay. */
export function syncTriggers(tx: Db, workflow: WorkflowRow, definition: WorkflowDefinition): void {
  const { triggers } = definition;
  const { id: workflowId, orgId, enabled } = workflow;
  const of = (type: WorkflowTrigger["type"]) => triggers.filter((trigger) => trigger.type === type);
  const schedules = enabled ? of("schedule") : [];
  const keys = schedules.map(({ id }) => scheduleKey(workflowId, id));
  removeSchedules(tx, scheduleKey(workflowId), new Set(keys));
  for (const { id, config } of schedules) {
    const { cron = "0 9 * * *", timeZone } = config as { cron?: string; timeZone?: string };
    setSchedule(tx, dueRun, {
      key: scheduleKey(workflowId, id),
      orgId,
      cron,
      timeZone: timeZone || null,
      input: { workflowId, triggerId: id },
    });
  }
  const hooks = new Map(listHooks(tx, workflowId).map((hook) => [hook.triggerId, hook]));
  for (const { id } of [...of("webhook"), ...of("form")]) if (!hooks.delete(id)) addHook(tx, workflow, id);
  for (const triggerId of hooks.keys()) deleteHook(tx, workflowId, triggerId);
  syncPolls(tx, workflow, definition);
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
