import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

export const usageRecords = sqliteTable(
  "usage_records",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id").notNull(),
    conversationId: text("conversation_id"),
    messageId: text("message_id"),
    providerId: text("provider_id"),
    providerType: text("provider_type").notNull(),
    model: text("model").notNull(),
    /** Null if the provider reported none. */
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    /** Of the input, what was read from the provider's cache and written to it. */
    cacheReadTokens: integer("cache_read_tokens"),
    cacheWriteTokens: integer("cache_write_tokens"),
    /** What rerankers count in place of tokens; null if the provider reported none. */
    searchUnits: integer("search_units"),
    /** Images that were made; null for calls that make none. */
    images: integer("images"),
    /** Length of what was transcribed, and of the text that was read aloud; null for other calls. */
    audioSeconds: integer("audio_seconds"),
    characters: integer("characters"),
    /** Whether the console counted tokens, since the provider reported none. */
    estimated: integer("estimated", { mode: "boolean" }).notNull().default(false),
    costMicros: integer("cost_micros"),
    firstTokenMs: integer("first_token_ms"),
    /** Null if the server crashed during the call. */
    durationMs: integer("duration_ms"),
    outcome: text("outcome", { enum: ["ok", "stopped", "interrupted", "error"] }).notNull(),
    errorCode: text("error_code"),
    source: text("source", {
      enum: ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp", "evaluation", "widget"],
    })
      .notNull()
      .default("chat"),
    tokenId: text("token_id"),
    workflowId: text("workflow_id"),
    runId: text("run_id"),
    stepId: text("step_id"),
    pluginId: text("plugin_id"),
    personaId: text("persona_id"),
    tool: text("tool"),
    /** Route and attempts (models.schema, RouteRecord). */
    route: text("route", { mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    /** The day whose totals include this row; null if none do. */
    day: text("day"),
  },
  (table) => [
    index("usage_records_org").on(table.orgId, table.createdAt),
    index("usage_records_provider").on(table.providerId, table.createdAt),
    index("usage_records_unsummed").on(table.createdAt).where(sql`day is null`),
  ],
);

/**
 * Daily totals, updated with each row. Unused key columns are empty, since SQLite treats nulls as distinct.
 */
export const usageDays = sqliteTable(
  "usage_days",
  {
    orgId: orgId(),
    day: text("day").notNull(),
    source: text("source", {
      enum: ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp", "evaluation", "widget"],
    }).notNull(),
    model: text("model").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id").notNull(),
    personaId: text("persona_id").notNull(),
    workflowId: text("workflow_id").notNull(),
    tokenId: text("token_id").notNull(),
    tool: text("tool").notNull(),
    requests: integer("requests").notNull(),
    errors: integer("errors").notNull(),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    costMicros: integer("cost_micros").notNull(),
    unpriced: integer("unpriced").notNull(),
    /** Total time to first token, and the number of requests with one. */
    firstTokenMs: integer("first_token_ms").notNull(),
    firstTokens: integer("first_tokens").notNull(),
    cacheReadTokens: integer("cache_read_tokens").notNull().default(0),
    cacheWriteTokens: integer("cache_write_tokens").notNull().default(0),
    searchUnits: integer("search_units").notNull().default(0),
    images: integer("images").notNull().default(0),
    audioSeconds: integer("audio_seconds").notNull().default(0),
    characters: integer("characters").notNull().default(0),
    /** The requests whose tokens the console counted. */
    estimated: integer("estimated").notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [
        table.orgId,
        table.day,
        table.source,
        table.model,
        table.providerId,
        table.userId,
        table.personaId,
        table.workflowId,
        table.tokenId,
        table.tool,
      ],
    }),
  ],
);

/** Limits on model calls per day or month, in millionths of a US dollar or tokens. */
export const budgets = sqliteTable(
  "budgets",
  {
    id: id(),
    orgId: orgId(),
    scope: text("scope", {
      enum: ["organisation", "group", "person", "persona", "workflow", "token", "widget"],
    }).notNull(),
    scopeId: text("scope_id").notNull(),
    unit: text("unit", { enum: ["money", "tokens"] }).notNull(),
    period: text("period", { enum: ["day", "month"] }).notNull(),
    limit: integer("limit_amount").notNull(),
    warnAt: integer("warn_at"),
    unpriced: text("unpriced", { enum: ["allow", "refuse"] }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("budgets_target").on(table.orgId, table.scope, table.scopeId, table.unit, table.period),
  ],
);

export const budgetPeriods = sqliteTable(
  "budget_periods",
  {
    budgetId: childOf("budget_id", () => budgets.id),
    /** In the organization's time zone, such as 2026-03-29 or 2026-03. */
    period: text("period").notNull(),
    spent: integer("spent").notNull().default(0),
    extra: integer("extra").notNull().default(0),
    unpriced: integer("unpriced").notNull().default(0),
    warnedAt: integer("warned_at"),
    usedUpAt: integer("used_up_at"),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.period] })],
);

/** Estimated cost of running calls. Cleared at startup. */
export const budgetReservations = sqliteTable(
  "budget_reservations",
  {
    budgetId: childOf("budget_id", () => budgets.id),
    callId: text("call_id").notNull(),
    amount: integer("amount").notNull(),
    /** Estimate of prompt and received text, which counts if the process dies. */
    spent: integer("spent").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.callId] })],
);

/** Calls by day that a guardrail refused, or in which one masked something; never their texts. */
export const guardrailCounts = sqliteTable(
  "guardrail_counts",
  {
    orgId: orgId(),
    day: text("day").notNull(),
    rule: text("rule").notNull(),
    refused: integer("refused").notNull(),
    masked: integer("masked").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.day, table.rule] })],
);
