import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

export const workflows = sqliteTable(
  "workflows",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    version: integer("version").notNull(),
    /** The member who saved or took over the active version. */
    runsAs: text("runs_as").notNull(),
    /** Why automatic triggers are paused; null if they aren't. */
    pausedReason: text("paused_reason"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("workflows_org").on(table.orgId, table.createdAt)],
);

export const workflowVersions = sqliteTable(
  "workflow_versions",
  {
    workflowId: childOf("workflow_id", () => workflows.id),
    version: integer("version").notNull(),
    /** `{ triggers, steps, connections }` (workflow.schema, WorkflowDefinition). */
    definition: text("definition", { mode: "json" }).notNull().$type<unknown>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.workflowId, table.version] })],
);

export const workflowHooks = sqliteTable(
  "workflow_hooks",
  {
    token: text("token").primaryKey(),
    orgId: orgId(),
    workflowId: childOf("workflow_id", () => workflows.id),
    triggerId: text("trigger_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("workflow_hooks_trigger").on(table.workflowId, table.triggerId)],
);

export const workflowHookCalls = sqliteTable(
  "workflow_hook_calls",
  {
    id: id(),
    workflowId: childOf("workflow_id", () => workflows.id),
    triggerId: text("trigger_id").notNull(),
    status: integer("status").notNull(),
    reason: text("reason"),
    runId: text("run_id"),
    body: text("body").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("workflow_hook_calls_trigger").on(table.workflowId, table.triggerId, table.createdAt)],
);

/** Triggers that look at a feed or a mailbox from time to time. */
export const workflowPolls = sqliteTable(
  "workflow_polls",
  {
    workflowId: childOf("workflow_id", () => workflows.id),
    triggerId: text("trigger_id").notNull(),
    /** What is looked at, such as the feed's address: another one starts over. */
    source: text("source").notNull(),
    /** What is known of it: `FeedState`, `MailState`; null before the first success. */
    state: text("state", { mode: "json" }).$type<unknown>(),
    nextAt: integer("next_at").notNull(),
    /** The last success. */
    checkedAt: integer("checked_at"),
    /** The last failure since; null after a success. */
    failedAt: integer("failed_at"),
    /** In a row. */
    failures: integer("failures").notNull().default(0),
    error: text("error"),
  },
  (table) => [
    primaryKey({ columns: [table.workflowId, table.triggerId] }),
    index("workflow_polls_next").on(table.nextAt),
  ],
);

interface RunToken {
  id: string;
  /** Null for all. */
  models: readonly string[] | null;
  guardrails?: { maskPii: boolean; blocked: string; moderate: boolean } | null;
}

interface Rerun {
  /** The earlier run, which may be gone. */
  runId: string;
  /** Where it began; the outputs of the steps before are the earlier run's. */
  stepId: string;
  /** That step's configuration as a person edited it; without it its expressions are resolved again. */
  input?: unknown;
}

export const workflowRuns = sqliteTable(
  "workflow_runs",
  {
    id: id(),
    orgId: orgId(),
    workflowId: childOf("workflow_id", () => workflows.id),
    version: integer("version").notNull(),
    /** `skipped`: the run before was still active, the workflow was paused, or its trigger started too often. */
    state: text("state", {
      enum: ["queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"],
    }).notNull(),
    triggerId: text("trigger_id").notNull(),
    triggerType: text("trigger_type").notNull(),
    payload: text("payload", { mode: "json" }).notNull().$type<unknown>(),
    startedBy: text("started_by"),
    /** Whose rights it has, if they aren't those of the workflow's member: a chat's caller. */
    runsAs: text("runs_as"),
    /** The API token that started it: the run may call only its models, and counts in its budgets. */
    token: text("token", { mode: "json" }).$type<RunToken>(),
    /** The caller's trace, which the run continues. */
    trace: text("trace", { mode: "json" }).$type<{ traceparent: string; tracestate?: string }>(),
    parentRunId: text("parent_run_id"),
    /** Of a run that was started from a step of another one. */
    rerun: text("rerun", { mode: "json" }).$type<Rerun>(),
    depth: integer("depth").notNull().default(0),
    output: text("output", { mode: "json" }).$type<unknown>(),
    error: text("error"),
    stepId: text("step_id"),
    /** Crashes while it ran, since the last completed step. */
    crashes: integer("crashes").notNull().default(0),
    createdAt: createdAt(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    /** Time between failures and their retries, in ms. */
    idleMs: integer("idle_ms").notNull().default(0),
  },
  (table) => [
    index("workflow_runs_open").on(table.createdAt).where(sql`state in ('queued', 'running', 'waiting')`),
    index("workflow_runs_workflow").on(table.workflowId, table.createdAt),
    index("workflow_runs_org").on(table.orgId, table.createdAt),
    index("workflow_runs_finished").on(table.finishedAt).where(sql`finished_at is not null`),
  ],
);

/** Idempotency keys of accepted triggers: they outlive runs that are deleted early. */
export const workflowRunKeys = sqliteTable(
  "workflow_run_keys",
  {
    workflowId: childOf("workflow_id", () => workflows.id),
    key: text("key").notNull(),
    runId: text("run_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workflowId, table.key] }),
    index("workflow_run_keys_created").on(table.createdAt),
  ],
);

/** The step journal: a step is done once its row says so. */
export const workflowRunSteps = sqliteTable(
  "workflow_run_steps",
  {
    runId: childOf("run_id", () => workflowRuns.id),
    key: text("key").notNull(),
    stepId: text("step_id").notNull(),
    type: text("type").notNull(),
    position: integer("position").notNull(),
    state: text("state", { enum: ["running", "waiting", "succeeded", "failed", "skipped"] }).notNull(),
    attempts: integer("attempts").notNull(),
    input: text("input", { mode: "json" }).$type<unknown>(),
    output: text("output", { mode: "json" }).$type<unknown>(),
    branch: text("branch"),
    error: text("error"),
    log: text("log", { mode: "json" }).$type<unknown>(),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    costMicros: integer("cost_micros"),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [primaryKey({ columns: [table.runId, table.key] })],
);

/** Outputs of runs that tries use in place of running their steps. */
export const workflowPins = sqliteTable(
  "workflow_pins",
  {
    workflowId: childOf("workflow_id", () => workflows.id),
    stepId: text("step_id").notNull(),
    output: text("output", { mode: "json" }).$type<unknown>(),
    branch: text("branch"),
    /** Where the output comes from; that run may be gone. */
    runId: text("run_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.workflowId, table.stepId] })],
);
