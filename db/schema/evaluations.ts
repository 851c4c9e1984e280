import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

/** Questions that models, personas and prompts are compared by. */
export const evaluationSets = sqliteTable(
  "evaluation_sets",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    shared: integer("shared", { mode: "boolean" }).notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("evaluation_sets_org").on(table.orgId, table.name),
    index("evaluation_sets_author").on(table.orgId, table.createdBy),
  ],
);

export const evaluationQuestions = sqliteTable(
  "evaluation_questions",
  {
    id: id(),
    setId: childOf("set_id", () => evaluationSets.id),
    question: text("question").notNull(),
    /** Traits of a good answer (app/work/evaluations/evaluations.schema.ts). */
    expects: text("expects", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("evaluation_questions_set").on(table.setId, table.createdAt)],
);

export const evaluationRuns = sqliteTable(
  "evaluation_runs",
  {
    id: id(),
    setId: childOf("set_id", () => evaluationSets.id),
    state: text("state", { enum: ["queued", "running", "done", "stopped", "failed"] }).notNull(),
    error: text("error"),
    /** What is compared, and how each is asked, as it was at the start. */
    subjects: text("subjects", { mode: "json" }).notNull().$type<Record<string, unknown>[]>(),
    instructions: text("instructions", { mode: "json" }).notNull().$type<Record<string, unknown>[]>(),
    judge: text("judge"),
    /** In millionths of a dollar; null without a limit. */
    limitMicros: integer("limit_micros"),
    /** Figures of each subject, once it has ended. */
    figures: text("figures", { mode: "json" }).$type<Record<string, unknown>[]>(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    endedAt: integer("ended_at"),
  },
  (table) => [index("evaluation_runs_set").on(table.setId, table.createdAt)],
);

/** A run's questions as they were at its start. A job deletes them and the results of runs that are gone, in batches. */
export const evaluationItems = sqliteTable(
  "evaluation_items",
  {
    runId: text("run_id").notNull(),
    /** From 0. */
    position: integer("position").notNull(),
    question: text("question").notNull(),
    expects: text("expects", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.position] })],
);

/** What a subject answered; written with the usage of the call. */
export const evaluationResults = sqliteTable(
  "evaluation_results",
  {
    runId: text("run_id").notNull(),
    position: integer("position").notNull(),
    /** Index in the run's subjects. */
    subject: integer("subject").notNull(),
    /** Null while it waits for its judgement. */
    outcome: text("outcome", { enum: ["passed", "failed", "error"] }),
    /** Of the answer and its judgement, in millionths of a dollar; null if unknown. */
    costMicros: integer("cost_micros"),
    /** Of the answer. */
    durationMs: integer("duration_ms").notNull(),
    /** Ids of the documents whose passages the answer names. */
    cited: text("cited", { mode: "json" }).notNull().$type<string[]>(),
    /** Traits that it lacks, or what went wrong. */
    reasons: text("reasons", { mode: "json" }).notNull().$type<string[]>(),
    /** Null if there was none. */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.position, table.subject] })],
);
