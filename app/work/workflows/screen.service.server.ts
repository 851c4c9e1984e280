import { explainMissingTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { authorise, may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { offerKeys } from "~/team/keys/keys.service.server";
import { explainUnavailableStep } from "./contributed/contributed-steps.service.server";
import { listPolls } from "./polls/polls.service.server";
import { lastRunOf } from "./runs.repo.server";
import type { ScheduleText } from "./schedule.shared";
import { findStepType } from "./steps/index.server";
import { findTriggerType } from "./triggers/index.server";
import { isPolled } from "./triggers/polled.triggers.server";
import { describeSchedule, formatDue, nextTimes, scheduleConfig } from "./triggers/schedule.trigger.server";
import type { TriggerType } from "./triggers/trigger-type";
import { webhook } from "./triggers/webhook.trigger.server";
import { curlOf } from "./triggers/webhook-curl";
import { findWorkflowRow, listHookCalls, listPollRows } from "./workflows.repo.server";
import type { Workflow, WorkflowStep, WorkflowTrigger } from "./workflows.schema";

/** With its model, if any. */
function describeStep({ id, type, name, config }: WorkflowStep) {
  const label = name || findStepType(type)?.label || type;
  const { model } = config;
  return { id, label, type, ...(typeof model === "string" && model !== "" ? { model } : {}) };
}

interface DescribedTrigger {
  id: string;
  type: string;
  label: string;
  /** A schedule in words, or what its type says of what starts it. */
  detail?: string;
  schedule?: ScheduleText;
}

/** Undefined for one that isn't set up. */
function detailOf(
  orgId: string,
  type: TriggerType | undefined,
  stored: WorkflowTrigger["config"],
): string | undefined {
  const parsed = type?.config.safeParse(stored);
  return parsed?.success
    ? type?.detail?.(parsed.data, (id) => findWorkflowRow(db(), orgId, id)?.name)
    : undefined;
}

function describeTrigger(
  orgId: string,
  { id, type, config }: WorkflowTrigger,
  timeZone: string,
): DescribedTrigger {
  const found = findTriggerType(type);
  const schedule = type === "schedule" ? describeSchedule(config, timeZone, now()) : undefined;
  const detail = schedule
    ? schedule.sentence
    : type === "schedule"
      ? config.cron
      : detailOf(orgId, found, config);
  return {
    id,
    type,
    label: found?.label ?? type,
    ...(typeof detail === "string" ? { detail } : {}),
    ...(schedule ? { schedule } : {}),
  };
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

/** The first due time of its schedules, in words and in the schedule's zone. */
function nextRunOf({ triggers }: Workflow, timeZone: string): string | undefined {
  const due = triggers.flatMap(({ type, config }) => {
    const text = type === "schedule" ? describeSchedule(config, timeZone, now()) : undefined;
    const [at] = text ? nextTimes(scheduleConfig(config), now(), 1, timeZone) : [];
    return text && at !== undefined
      ? [{ at, text: `${formatDue(at, now(), text.timeZone)}, ${text.timeZone}` }]
      : [];
  });
  return due.sort((a, b) => a.at - b.at)[0]?.text;
}

/** Triggers whose last check failed, with the reason for those who may see where they look. */
function failingTriggers(actor: Actor, { id, triggers }: Workflow): string[] {
  if (!triggers.some(({ type }) => isPolled(type))) return [];
  const mayRead = may(actor, "workflows.write");
  return listPollRows(db(), id).flatMap(({ triggerId, error }) => {
    const type = triggers.find((trigger) => trigger.id === triggerId)?.type;
    if (error === null || type === undefined) return [];
    const label = findTriggerType(type)?.label ?? type;
    return [`The last check of its ${label} failed${mayRead ? `: ${error}` : "."}`];
  });
}

/** Adds labels, the last run and the next one. */
export function describeWorkflow(actor: Actor, workflow: Workflow) {
  const last = lastRunOf(db(), workflow.id);
  const timeZone = orgTimeZone(actor.orgId);
  const isPaused = !workflow.enabled || workflow.pausedReason !== null;
  return {
    ...workflow,
    steps: workflow.steps.map(describeStep),
    triggers: workflow.triggers.map((trigger) => describeTrigger(actor.orgId, trigger, timeZone)),
    nextRun: isPaused ? undefined : nextRunOf(workflow, timeZone),
    missing: missingParts(actor, workflow),
    failing: workflow.enabled ? failingTriggers(actor, workflow) : [],
    lastRun: last && { id: last.id, state: last.state, at: isoTime(last.createdAt) },
  };
}

/** Five per schedule trigger, in its own zone; none while disabled. */
export function nextDueTimes(
  actor: Actor,
  { triggers, enabled }: Workflow,
): Record<string, { at: string; text: string }[]> {
  if (!enabled) return {};
  const zone = orgTimeZone(actor.orgId);
  return Object.fromEntries(
    triggers
      .filter(({ type }) => type === "schedule")
      .map(({ id, config: stored }) => {
        const config = scheduleConfig(stored);
        const times = nextTimes(config, now(), 5, zone);
        return [
          id,
          times.map((at) => ({ at: isoTime(at), text: formatDue(at, now(), config.timeZone || zone) })),
        ];
      }),
  );
}

/** Of webhook triggers by their ids: a shell's call with what its verification wants, and the variable of its secret. */
export function webhookCalls(
  actor: Actor,
  { triggers }: Workflow,
  addresses: Readonly<Record<string, string>>,
) {
  authorise(actor, "workflows.write");
  const keys = new Map(offerKeys(actor, "other").map(({ id, alias }) => [id, alias]));
  return Object.fromEntries(
    triggers.flatMap(({ id, type, config }) => {
      const address = addresses[id];
      const parsed = type === "webhook" ? webhook.config.safeParse(config).data : undefined;
      if (!address || !parsed) return [];
      const secret = parsed.signatureKey ? (keys.get(parsed.signatureKey) ?? "its signature key") : undefined;
      return [[id, { line: curlOf(address, parsed), ...(secret ? { secret } : {}) }]];
    }),
  );
}

/** How feeds and mailboxes were checked, with the next time in words and in the organization's zone. */
export function describePolls(actor: Actor, workflowId: string) {
  const zone = orgTimeZone(actor.orgId);
  return listPolls(actor, workflowId).map((poll) => ({
    ...poll,
    next: formatDue(Date.parse(poll.nextAt), now(), zone),
  }));
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
