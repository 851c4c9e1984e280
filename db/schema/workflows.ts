import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

export const workflows = sqliteTable(
  "workflows",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** The current version; its definition is a row of `workflow_versions`. */
    version: integer("version").notNull(),
    /** Runs act with this member's rights: the one who saved or took over the enabled version. */
    runsAs: text("runs_as").notNull(),
    /** Why automatic triggers wait for someone to take the workflow over; null while they don't. */
    pausedReason: text("paused_reason"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("workflows_org").on(table.orgId, table.createdAt)],
);

/** Each save is one; a run keeps its own. */
export const workflowVersions = sqliteTable(
  "workflow_versions",
  {
    workflowId: text("workflow_id")
      .notNull()
      .references(() => workflows.id, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    /** `{ triggers, steps, connections }` (workflow.schema, WorkflowDefinition). */
    definition: text("definition", { mode: "json" }).notNull().$type<unknown>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.workflowId, table.version] })],
);

/** The secret addresses of webhook triggers. */
export const workflowHooks = sqliteTable(
  "workflow_hooks",
  {
    /** Last part of the address under /api/hooks. */
    token: text("token").primaryKey(),
    orgId: orgId(),
    workflowId: text("workflow_id")
      .notNull()
      .references(() => workflows.id, { onDelete: "cascade" }),
    triggerId: text("trigger_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("workflow_hooks_trigger").on(table.workflowId, table.triggerId)],
);

/** The last calls of a webhook, for testing. */
export const workflowHookCalls = sqliteTable(
  "workflow_hook_calls",
  {
    id: id(),
    workflowId: text("workflow_id")
      .notNull()
      .references(() => workflows.id, { onDelete: "cascade" }),
    triggerId: text("trigger_id").notNull(),
    status: integer("status").notNull(),
    reason: text("reason"),
    runId: text("run_id"),
    /** Head of the body, for a person. */
    body: text("body").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("workflow_hook_calls_trigger").on(table.workflowId, table.triggerId, table.createdAt)],
);

/** Accepted triggers. `skipped` is a due time that found the run before it still going, or the workflow paused. */
export const workflowRuns = sqliteTable(
  "workflow_runs",
  {
    id: id(),
    orgId: orgId(),
    workflowId: text("workflow_id")
      .notNull()
      .references(() => workflows.id, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    state: text("state", {
      enum: ["queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"],
    }).notNull(),
    triggerId: text("trigger_id").notNull(),
    triggerType: text("trigger_type").notNull(),
    /** The trigger's payload, `trigger` in expressions. */
    payload: text("payload", { mode: "json" }).notNull().$type<unknown>(),
    /** Who pressed Run; null for an automatic trigger. */
    startedBy: text("started_by"),
    /** The run whose Call workflow step started it. */
    parentRunId: text("parent_run_id"),
    depth: integer("depth").notNull().default(0),
    /** A trigger that is repeated under this key isn't accepted twice. */
    idempotencyKey: text("idempotency_key"),
    output: text("output", { mode: "json" }).$type<unknown>(),
    error: text("error"),
    /** The step that failed, or that waits. */
    stepId: text("step_id"),
    /** How often the process died while it ran, since a step was last finished. */
    crashes: integer("crashes").notNull().default(0),
    createdAt: createdAt(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("workflow_runs_open").on(table.createdAt).where(sql`state in ('queued', 'running', 'waiting')`),
    index("workflow_runs_workflow").on(table.workflowId, table.createdAt),
    index("workflow_runs_org").on(table.orgId, table.createdAt),
    index("workflow_runs_finished").on(table.finishedAt).where(sql`finished_at is not null`),
    uniqueIndex("workflow_runs_idempotency")
      .on(table.workflowId, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
  ],
);

/** The journal of a run: a step counts as done once its row says so. */
export const workflowRunSteps = sqliteTable(
  "workflow_run_steps",
  {
    runId: text("run_id")
      .notNull()
      .references(() => workflowRuns.id, { onDelete: "cascade" }),
    /** The step's id; within For each `loop[3].step`. */
    key: text("key").notNull(),
    stepId: text("step_id").notNull(),
    type: text("type").notNull(),
    /** Order of the starts. */
    position: integer("position").notNull(),
    state: text("state", { enum: ["running", "waiting", "succeeded", "failed", "skipped"] }).notNull(),
    attempts: integer("attempts").notNull(),
    /** The configuration with its expressions resolved. */
    input: text("input", { mode: "json" }).$type<unknown>(),
    output: text("output", { mode: "json" }).$type<unknown>(),
    /** The branch that the run took from here; null for the only one. */
    branch: text("branch"),
    error: text("error"),
    /** `[{ at, level, message }]` */
    log: text("log", { mode: "json" }).$type<unknown>(),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    costMicros: integer("cost_micros"),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [primaryKey({ columns: [table.runId, table.key] })],
);
