import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { isoTime } from "~/core/durations";
import { assertUnchangedSince, laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { distinctNames } from "~/platform/catalogue/names";
import { publish } from "~/platform/events/events.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { engine } from "./engine/local-engine.server";
import { canRun, PAUSED } from "./engine/run-actor.server";
import { NO_STEPS } from "./engine/run-states.server";
import { assertPersonas } from "./references.service.server";
import { requireWorkflow } from "./require-workflow.server";
import { findStepType } from "./steps/index.server";
import type { StepType } from "./steps/step-type";
import { removeTriggers, syncTriggers } from "./sync-triggers.server";
import { findTriggerType } from "./triggers/index.server";
import { completeDefinition, validateDefinition } from "./validate-workflow.server";
import { assertToolNames } from "./workflow-tools.service.server";
import {
  deleteWorkflowRow,
  findVersion,
  insertVersion,
  insertWorkflow,
  listVersionRows,
  listWorkflowNameRows,
  listWorkflowRows,
  listWorkflowsRunAs,
  updateWorkflowRow,
  type WorkflowRow,
  type WorkflowWithDefinition,
} from "./workflows.repo.server";
import {
  type Workflow,
  WorkflowDefinition,
  type WorkflowInput,
  type WorkflowPatch,
  type WorkflowStep,
  type WorkflowTrigger,
  type WorkflowVersion,
} from "./workflows.schema";

const MAX_VERSIONS = 100;
const STEPS_REMOVED = "An active workflow needs at least one step. Add one, or disable it first.";
/** The contract asks for a test message. */
const TEST_MESSAGE = "Hello! This is a test message.";

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

/** What an actor may read of a definition: who can't change it doesn't see what people type keys into. */
function readableDefinition(actor: Actor, stored: unknown): WorkflowDefinition {
  const definition = WorkflowDefinition.parse(stored);
  if (may(actor, "workflows.write")) return definition;
  const readable = <T extends WorkflowStep | WorkflowTrigger>(
    part: T,
    type: Pick<StepType, "fields"> | undefined,
  ): T => {
    const isReadable = (name: string) =>
      type?.fields.find((field) => field.name === name)?.isPrivate !== true;
    // Nobody knows what a type that is gone had.
    const shown = type ? Object.entries(part.config).filter(([name]) => isReadable(name)) : [];
    return { ...part, config: Object.fromEntries(shown) };
  };
  return {
    ...definition,
    triggers: definition.triggers.map((trigger) => readable(trigger, findTriggerType(trigger.type))),
    steps: definition.steps.map((step) => readable(step, findStepType(step.type))),
  };
}

function toWorkflow(actor: Actor, row: WorkflowWithDefinition): Workflow {
  const { id, name, description, enabled, version, orgId, runsAs, pausedReason } = row;
  return {
    id,
    name,
    description,
    enabled,
    version,
    ...readableDefinition(actor, row.definition),
    runsAs: { id: runsAs, name: nameOf(orgId, runsAs) },
    // Stored at the next trigger; shown at once.
    pausedReason: pausedReason ?? (canRun(db(), row) ? null : PAUSED),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const publishChange = ({ orgId }: Actor) => publish({ topic: "workflows", orgId });

/** Changes a workflow in one transaction. */
function change(actor: Actor, id: string, apply: (tx: Db, row: WorkflowWithDefinition) => void): Workflow {
  authorise(actor, "workflows.write");
  transaction((tx) => apply(tx, requireWorkflow(tx, actor.orgId, id)));
  publishChange(actor);
  return readWorkflow(actor, id);
}

export function pageWorkflows(
  actor: Actor,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { workflows: Workflow[]; next?: string } {
  authorise(actor, "screens.read");
  const results = listWorkflowRows(db(), actor.orgId, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(results, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { workflows: rows.map((row) => toWorkflow(actor, row)), ...next };
}

export function readWorkflow(actor: Actor, id: string): Workflow {
  authorise(actor, "screens.read");
  return toWorkflow(actor, requireWorkflow(db(), actor.orgId, id));
}

/** Disabled if it has no steps. @throws AppError `invalid` by field */
export function createWorkflow(actor: Actor, input: WorkflowInput, options = { enabled: true }): Workflow {
  authorise(actor, "workflows.write");
  const definition = completeDefinition(input);
  validateDefinition(actor.orgId, definition);
  assertPersonas(actor, definition);
  const id = newId("wf");
  transaction((tx) => {
    const at = now();
    const row = {
      id,
      orgId: actor.orgId,
      name: input.name,
      description: input.description,
      enabled: options.enabled && definition.steps.length > 0,
      version: 1,
      runsAs: actor.userId,
      pausedReason: null,
      createdBy: actor.userId,
      createdAt: at,
      updatedAt: at,
    };
    if (row.enabled) assertToolNames(tx, actor.orgId, definition);
    insertWorkflow(tx, row);
    insertVersion(tx, { workflowId: id, version: 1, definition, createdBy: actor.userId, createdAt: at });
    syncTriggers(tx, row, definition);
    append(tx, actor, {
      action: "workflow.created",
      resource: `workflow:${id}`,
      details: { workflowName: input.name, steps: definition.steps.length },
    });
  });
  publishChange(actor);
  return readWorkflow(actor, id);
}

/** A manual trigger and an AI Chat step with a test message; disabled, since it is to be edited first. */
export function createQuickWorkflow(actor: Actor, input: { name: string; description: string }): Workflow {
  const definition: Omit<WorkflowInput, "name" | "description"> = {
    triggers: [{ type: "manual" }],
    steps: [{ type: "ai_completion", config: { prompt: TEST_MESSAGE, temperature: 0.7 } }],
    connections: [],
  };
  return createWorkflow(actor, { ...input, ...definition }, { enabled: false });
}

interface AskedQuestion {
  title: string;
  question: string;
  model: string;
  persona?: string | undefined;
  reasoningEffort?: string | undefined;
}

/** Asks it on weekdays at nine and returns the answer; disabled, since who gets it is to be decided first. */
export function createScheduledQuestion(actor: Actor, asked: AskedQuestion): Workflow {
  const { title, question, model, persona, reasoningEffort = "default" } = asked;
  // It is a text, not a template.
  const prompt = question.replaceAll("{{", "{{ '{' + '{' }}");
  return createWorkflow(
    actor,
    {
      name: clip(title, 80),
      description: "Asks a question of a conversation on weekdays.",
      triggers: [{ type: "schedule", config: { cron: "0 9 * * 1-5" } }],
      steps: [
        {
          id: "ask",
          type: "ai_completion",
          config: { model, prompt, reasoningEffort, ...(persona && { persona }) },
        },
        { id: "answer", type: "return", config: { value: "{{ steps.ask.text }}" } },
      ],
      connections: [],
    },
    { enabled: false },
  );
}

/** A changed definition becomes a new version. @throws AppError `invalid`; `conflict` if it has changed since */
export function updateWorkflow(actor: Actor, id: string, patch: WorkflowPatch): Workflow {
  return change(actor, id, (tx, { definition: stored, ...row }) => {
    const before = WorkflowDefinition.parse(stored);
    const { triggers = before.triggers, steps = before.steps, connections = before.connections } = patch;
    const touchesDefinition = (patch.triggers ?? patch.steps ?? patch.connections) !== undefined;
    const definition = touchesDefinition ? completeDefinition({ triggers, steps, connections }) : before;
    assertCurrent(row, before, definition, patch);
    const enabled = patch.enabled ?? row.enabled;
    if (enabled && definition.steps.length === 0 && (touchesDefinition || !row.enabled))
      throw new AppError("conflict", row.enabled ? STEPS_REMOVED : NO_STEPS);
    if (touchesDefinition) {
      validateDefinition(actor.orgId, definition, id);
      assertPersonas(actor, definition, before);
    }
    if (touchesDefinition || (enabled && !row.enabled)) assertToolNames(tx, actor.orgId, definition, id);
    const isNew = touchesDefinition && JSON.stringify(definition) !== JSON.stringify(before);
    const at = laterThan(row.updatedAt, now());
    const next = {
      ...row,
      name: patch.name ?? row.name,
      description: patch.description ?? row.description,
      enabled,
      version: isNew ? row.version + 1 : row.version,
      updatedAt: at,
      // Runs have the permissions of the member who last saved or enabled it.
      ...(enabled && (isNew || !row.enabled) ? { runsAs: actor.userId, pausedReason: null } : {}),
    };
    updateWorkflowRow(tx, id, next);
    const { name, description, version } = next;
    if (isNew)
      insertVersion(tx, { workflowId: id, version, definition, createdBy: actor.userId, createdAt: at });
    syncTriggers(tx, next, definition);
    const details = { workflowName: name, steps: definition.steps.length };
    const resource = `workflow:${id}`;
    if (enabled !== row.enabled)
      append(tx, actor, {
        action: enabled ? "workflow.enabled" : "workflow.disabled",
        resource,
        details,
      });
    if (isNew || name !== row.name || description !== row.description)
      append(tx, actor, {
        action: "workflow.updated",
        resource,
        details: { ...details, version },
        before: { name: row.name, description: row.description, version: row.version },
        after: { name, description, version },
      });
  });
}

/** Deletes versions and runs, canceling active ones. */
export function deleteWorkflow(actor: Actor, id: string): Workflow {
  authorise(actor, "workflows.write");
  const remove = (tx: Db) => {
    const row = requireWorkflow(tx, actor.orgId, id);
    const abandon = engine().abandon(tx, id);
    removeTriggers(tx, id);
    deleteWorkflowRow(tx, id);
    append(tx, actor, {
      action: "workflow.deleted",
      resource: `workflow:${id}`,
      details: { workflowName: row.name },
    });
    return { workflow: toWorkflow(actor, row), after: abandon };
  };
  const { workflow, after } = withReserve(actor, () => transaction(remove));
  after();
  publishChange(actor);
  return workflow;
}

export function duplicateWorkflow(actor: Actor, id: string): Workflow {
  const { name, description, triggers, steps, connections } = readWorkflow(actor, id);
  const copy = { name: `${clip(name, 110)} (copy)`, description, triggers, steps, connections };
  return createWorkflow(actor, copy, { enabled: false });
}

const MAX_NAMES = 500;

export function listWorkflowNames(actor: Actor): { id: string; name: string }[] {
  authorise(actor, "screens.read");
  return distinctNames(listWorkflowNameRows(db(), actor.orgId, MAX_NAMES));
}

/** Enabled workflows that pause without the member. */
export function listWorkflowsOf(actor: Actor, userId: string): { id: string; name: string }[] {
  if (userId !== actor.userId) authorise(actor, "members.manage");
  return listWorkflowsRunAs(db(), actor.orgId, userId);
}

/** Runs use the actor's rights from now on. */
export function takeOverWorkflow(actor: Actor, id: string): Workflow {
  return change(actor, id, (tx, row) => {
    const updatedAt = laterThan(row.updatedAt, now());
    updateWorkflowRow(tx, id, { runsAs: actor.userId, pausedReason: null, updatedAt });
    append(tx, actor, {
      action: "workflow.taken_over",
      resource: `workflow:${id}`,
      details: { workflowName: row.name, from: row.runsAs },
    });
  });
}

/** Newest first. */
export function listVersions(actor: Actor, id: string): WorkflowVersion[] {
  authorise(actor, "screens.read");
  const row = requireWorkflow(db(), actor.orgId, id);
  return listVersionRows(db(), id, MAX_VERSIONS).map(({ version, definition, createdBy, createdAt }) => ({
    version,
    current: version === row.version,
    steps: WorkflowDefinition.parse(definition).steps.length,
    createdBy: { id: createdBy, name: nameOf(actor.orgId, createdBy) },
    createdAt: isoTime(createdAt),
  }));
}

/** @throws AppError `not_found` */
export function readVersion(actor: Actor, id: string, version: number): WorkflowDefinition {
  authorise(actor, "screens.read");
  requireWorkflow(db(), actor.orgId, id);
  const row = findVersion(db(), id, version);
  if (!row) throw new AppError("not_found", `Version ${version} of this workflow not found.`);
  return readableDefinition(actor, row.definition);
}

/** Copies an earlier version as the newest. */
export function restoreVersion(actor: Actor, id: string, version: number): Workflow {
  return updateWorkflow(actor, id, readVersion(actor, id, version));
}

/** Of a webhook, or of a form's page. */
const LABELS = { name: "Name", description: "Description" };
const PART_LABELS = { triggers: "Triggers", steps: "Steps", connections: "Connections" };

/** Serialized as stored, so that absent and undefined are equal. */
const textsOf = ({ triggers, steps, connections }: WorkflowDefinition) => ({
  triggers: JSON.stringify(triggers),
  steps: JSON.stringify(steps),
  connections: JSON.stringify(connections),
});

/**
 * Changes of the name, the description and `enabled` create no version; `updatedAt` detects them.
 * @param after the definition with the patch
 * @throws AppError `conflict` if the patch would replace what was saved since
 */
function assertCurrent(
  row: WorkflowRow,
  before: WorkflowDefinition,
  after: WorkflowDefinition,
  { version, updatedAt, name, description }: WorkflowPatch,
): void {
  const isCurrent = version === row.version;
  if (version !== undefined && updatedAt === undefined && !isCurrent)
    throw new AppError(
      "conflict",
      `This workflow has changed since you opened it. Reload version ${row.version} and try again.`,
    );
  const labels = { ...LABELS, ...(isCurrent ? {} : PART_LABELS) };
  const saved = {
    ...textsOf(before),
    name: row.name,
    description: row.description,
    updatedAt: isoTime(row.updatedAt),
  };
  const entered = { ...textsOf(after), name, description };
  assertUnchangedSince(updatedAt, { noun: "workflow", labels, saved, entered, ignoresOtherFields: true });
}
