import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { findAcceptedRun, insertRun, type RunRow, recordRunKeys } from "../runs.repo.server";
import type { Json, StepAt } from "../steps/step-type";
import {
  findVersion,
  findWorkflowById,
  findWorkflowRow,
  type WorkflowRow,
  type WorkflowWithDefinition,
} from "../workflows.repo.server";
import { WorkflowDefinition } from "../workflows.schema";

export interface Trigger {
  workflowId: string;
  triggerId: string;
  triggerType: string;
  payload: Json;
  /** A trigger with one of them again returns the same run. */
  idempotencyKeys?: readonly string[];
  startedBy?: string;
  parentRunId?: string;
  depth?: number;
}

export interface Accepted {
  runId: string;
  repeated: boolean;
}

/** Maximum depth of nested workflow calls. */
const MAX_CALL_DEPTH = 5;

const GONE = "Workflow not found. It may have been deleted.";
export const NO_STEPS = "The workflow has no steps. Add one first.";

/**
 * Queues a run, once per idempotency key.
 * @throws AppError `not_found`, `conflict` without steps
 */
export function acceptRun(tx: Db, actor: Actor, trigger: Trigger): Accepted {
  const { workflowId, idempotencyKeys: keys = [] } = trigger;
  const workflow = findWorkflowById(tx, workflowId);
  if (!workflow) throw new AppError("not_found", GONE);
  const before = findAcceptedRun(tx, workflowId, keys);
  if (before) {
    // A signature under a known key is used up too.
    recordRunKeys(tx, keys, { workflowId, runId: before, createdAt: now() });
    return { runId: before, repeated: true };
  }
  const steps = definitionOf(workflowId, workflow.version).steps.length;
  if (steps === 0) throw new AppError("conflict", NO_STEPS);
  const runId = newId("run");
  insertRun(tx, {
    id: runId,
    orgId: workflow.orgId,
    workflowId,
    version: workflow.version,
    state: "queued",
    triggerId: trigger.triggerId,
    triggerType: trigger.triggerType,
    payload: trigger.payload,
    startedBy: trigger.startedBy ?? null,
    token: runTokenOf(actor),
    parentRunId: trigger.parentRunId ?? null,
    depth: trigger.depth ?? 0,
    createdAt: now(),
  });
  recordRunKeys(tx, keys, { workflowId, runId, createdAt: now() });
  append(tx, actor, {
    action: "workflow.executed",
    resource: `workflow:${workflowId}`,
    details: { workflowName: workflow.name, steps, runId, trigger: trigger.triggerType },
  });
  return { runId, repeated: false };
}

/** @throws AppError `not_found` */
export function requireWorkflow(tx: Db, orgId: string, id: string): WorkflowWithDefinition {
  const row = findWorkflowRow(tx, orgId, id);
  if (!row) throw new AppError("not_found", GONE);
  return row;
}

/** A workflow for Call Workflow. @throws AppError `not_found`, `conflict` if it is disabled */
export function requireCallable(orgId: string, id: string): WorkflowRow {
  const row = requireWorkflow(db(), orgId, id);
  if (row.enabled) return row;
  throw new AppError("conflict", `The workflow "${row.name}" is disabled. Enable it first.`);
}

/** The deterministic trigger of a child workflow. @throws AppError if it can't be called */
export function childTrigger(run: RunRow, parent: WorkflowRow, at: StepAt, config: unknown) {
  const { workflow, payload } = config as { workflow: string; payload: Json };
  requireCallable(run.orgId, workflow);
  const depth = run.depth + 1;
  if (depth > MAX_CALL_DEPTH)
    throw new AppError("invalid", `Workflow calls can be nested at most ${MAX_CALL_DEPTH} levels deep.`);
  const trigger: Trigger = {
    workflowId: workflow,
    triggerId: "call",
    triggerType: "call",
    payload,
    parentRunId: run.id,
    depth,
    idempotencyKeys: [`${run.id}:${at.key}`],
  };
  return { actor: runActor(parent, run), trigger };
}

/** @throws AppError `not_found` */
export function definitionOf(workflowId: string, version: number): WorkflowDefinition {
  const row = findVersion(db(), workflowId, version);
  if (!row) throw new AppError("not_found", `Version ${version} of the workflow was deleted.`);
  return WorkflowDefinition.parse(row.definition);
}

export const PAUSED = "The member it runs for has left, is suspended or can no longer run workflows.";

type RunsAs = Pick<WorkflowRow, "orgId" | "runsAs">;

/** The role of the workflow's member now; undefined if they may no longer run it. */
function runRole(tx: Db, { orgId, runsAs }: RunsAs) {
  const role = roleOf(tx, orgId, runsAs);
  return role && may({ role }, "workflows.write") ? role : undefined;
}

export const canRun = (tx: Db, workflow: RunsAs): boolean => runRole(tx, workflow) !== undefined;

/** The API token that starts a run, with its limits. */
export const runTokenOf = ({ tokenId, gateway }: Actor): RunRow["token"] =>
  tokenId === undefined ? null : { id: tokenId, models: gateway?.models ?? null };

/**
 * With the member's current role, and the limits of the token that started the run.
 * @throws AppError `forbidden` if they may no longer run it
 */
export function runActor(workflow: RunsAs, run?: Pick<RunRow, "token">): Actor {
  const role = runRole(db(), workflow);
  if (!role) throw new AppError("forbidden", `${PAUSED} Take the workflow over.`);
  const token = run?.token;
  const limits = token
    ? { tokenId: token.id, gateway: { models: token.models, requestsPerMinute: null } }
    : {};
  return { kind: "workflow", userId: workflow.runsAs, orgId: workflow.orgId, role, ...limits };
}
