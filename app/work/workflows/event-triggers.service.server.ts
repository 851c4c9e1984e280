import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { HOUR, isoTime } from "~/core/durations";
import { publicAddress } from "~/core/env.server";
import { log } from "~/core/log.server";
import { whenAnnounced } from "~/platform/events/domain-events.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { skipRun } from "./engine/skip-run.server";
import { definitionOf } from "./require-workflow.server";
import { countRunsOf, type RunRow } from "./runs.repo.server";
import type { Json } from "./steps/step-type";
import { budget, document, failure } from "./triggers/event.triggers.server";
import { findWorkflowById, listTriggeredRows, type WorkflowRow } from "./workflows.repo.server";

/** Starts a run for something that happened in the console. */
export const eventRun = declareJob({
  kind: "workflows.event",
  input: z.object({
    workflowId: z.string(),
    triggerId: z.string(),
    triggerType: z.string(),
    payload: z.record(z.string(), z.unknown()),
  }),
  lane: "interactive",
});

/** Of one trigger in an hour: bounds what a workflow causes that runs by way of another system. */
const MAX_PER_HOUR = 60;
const TOO_OFTEN = `The trigger started ${MAX_PER_HOUR} runs within an hour. What else happens until it may start again starts none.`;

/** Asked as something happens and again as its run starts: many events may wait for their runs. */
export function startsTooOften(
  tx: Db,
  workflow: Pick<WorkflowRow, "id" | "orgId" | "version">,
  trigger: { triggerId: string; triggerType: string },
): boolean {
  const { id, orgId } = workflow;
  if (countRunsOf(tx, id, trigger.triggerId, now() - HOUR) < MAX_PER_HOUR) return false;
  const key = `often:${trigger.triggerId}:${Math.floor(now() / HOUR)}`;
  if (skipRun(tx, workflow, trigger, key, TOO_OFTEN))
    log.warn("a workflow's trigger started too often", { orgId, kind: trigger.triggerType });
  return true;
}

interface Happened<S extends z.ZodType> {
  orgId: string;
  type: { type: string; config: S };
  payload: Record<string, Json>;
  /** @param workflowId of the workflow that would start */
  matches(config: z.infer<S>, workflowId: string): boolean;
}

/** Queues a run of each enabled workflow with a trigger that matches, in the transaction of what happened. */
function startOnEvent<S extends z.ZodType>(tx: Db, { orgId, type, payload, matches }: Happened<S>): void {
  for (const { id: workflowId, version } of listTriggeredRows(tx, orgId, type.type))
    for (const trigger of definitionOf(workflowId, version).triggers) {
      if (trigger.type !== type.type) continue;
      const config = type.config.safeParse(trigger.config);
      if (!config.success || !matches(config.data, workflowId)) continue;
      const started = { triggerId: trigger.id, triggerType: type.type };
      if (startsTooOften(tx, { id: workflowId, orgId, version }, started)) continue;
      enqueue(
        tx,
        eventRun,
        { workflowId, ...started, payload },
        { orgId, subject: `workflow:${workflowId}` },
      );
    }
}

/** Not for children, whose parents fail too, nor for runs that a failure started: they would start each other. */
export function startOnFailure(tx: Db, run: RunRow, error: string | undefined): void {
  if (run.parentRunId !== null || run.triggerType === failure.type) return;
  const { id, orgId, workflowId, version, triggerType, stepId, startedAt, createdAt, finishedAt } = run;
  startOnEvent(tx, {
    orgId,
    type: failure,
    matches: ({ workflow }, own) => own !== workflowId && (workflow === "" || workflow === workflowId),
    payload: {
      run: {
        id,
        workflowId,
        workflowName: findWorkflowById(tx, workflowId)?.name ?? workflowId,
        version,
        trigger: triggerType,
        error: error ?? null,
        step: stepId,
        startedAt: isoTime(startedAt ?? createdAt),
        failedAt: isoTime(finishedAt ?? now()),
        link: publicAddress(`/workflows/runs/${id}`),
      },
    },
  });
}

/** Starts workflows for what other features announce. @returns a function to stop */
export function listenForEvents(): () => void {
  const stops = [
    whenAnnounced("document.added", (tx, { orgId, document: added, byWorkflow }) => {
      if (byWorkflow) return;
      startOnEvent(tx, {
        orgId,
        type: document,
        matches: ({ category }) => category === "" || category === added.category,
        payload: { document: { ...added, link: publicAddress(`/rag/${added.id}`) } },
      });
    }),
    whenAnnounced("budget.reached", (tx, { orgId, budget: reached, level }) =>
      startOnEvent(tx, {
        orgId,
        type: budget,
        matches: ({ level: least }) => level === "used up" || least === "near or used up",
        payload: { budget: { ...reached }, level },
      }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
