import { explainMissingTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { authorise } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { explainUnavailableStep } from "./contributed/contributed-steps.service.server";
import { lastRunOf } from "./runs.repo.server";
import { findStepType } from "./steps/index.server";
import { findTriggerType } from "./triggers/index.server";
import { nextTimes } from "./triggers/schedule.trigger.server";
import { listHookCalls } from "./workflows.repo.server";
import type { Workflow, WorkflowStep, WorkflowTrigger } from "./workflows.schema";

/** With its model, if any. */
function describeStep({ id, type, name, config }: WorkflowStep) {
  const label = name || findStepType(type)?.label || type;
  const { model } = config;
  return { id, label, type, ...(typeof model === "string" && model !== "" ? { model } : {}) };
}

function describeTrigger(trigger: WorkflowTrigger) {
  const { id, type, config } = trigger;
  const label = findTriggerType(type)?.label ?? type;
  const detail = type === "schedule" ? config.cron : type === "webhook" ? config.method : undefined;
  return { id, type, label, ...(typeof detail === "string" ? { detail } : {}) };
}

const toolNames = (workflow: Workflow) =>
  workflow.steps.flatMap(({ type, config }) =>
    type === "run_tool" && typeof config.tool === "string" && config.tool ? [config.tool] : [],
  );

/** Inactive plugins or tools. */
function missingParts({ orgId }: Pick<Actor, "orgId">, workflow: Workflow): string[] {
  const steps = workflow.steps.flatMap(({ type }) => explainUnavailableStep(orgId, type) ?? []);
  return [...new Set([...steps, ...Object.values(explainMissingTools({ orgId }, toolNames(workflow)))])];
}

/** Adds labels and the last run. */
export function describeWorkflow(actor: Pick<Actor, "orgId">, workflow: Workflow) {
  const last = lastRunOf(db(), workflow.id);
  return {
    ...workflow,
    steps: workflow.steps.map(describeStep),
    triggers: workflow.triggers.map(describeTrigger),
    missing: missingParts(actor, workflow),
    lastRun: last && { id: last.id, state: last.state, at: isoTime(last.createdAt) },
  };
}

/** Five per schedule trigger (ISO dates); none while disabled. */
export function nextDueTimes(actor: Actor, { triggers, enabled }: Workflow): Record<string, string[]> {
  if (!enabled) return {};
  const zone = orgTimeZone(actor.orgId);
  return Object.fromEntries(
    triggers
      .filter(({ type }) => type === "schedule")
      .map(({ id, config }) => {
        const { cron = "0 9 * * *", timeZone = "" } = config as { cron?: string; timeZone?: string };
        const times = nextTimes({ cron, timeZone }, now(), 5, zone);
        return [id, times.map(isoTime)];
      }),
  );
}

export const stepTypeLabel = (type: string) => findStepType(type)?.label ?? type;

/** Newest first. */
export function listRecentCalls(actor: Actor, workflowId: string) {
  authorise(actor, "workflows.write");
  return listHookCalls(db(), workflowId, 20).map((call) => {
    const { id, triggerId, status, reason } = call;
    return { id, triggerId, status, reason, at: isoTime(call.createdAt) };
  });
}
