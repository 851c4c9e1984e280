import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { createdAt, id } from "./columns";
import { orgId } from "./people";

/** One row per call to a model or a tool. */
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
    /** Empty for a call to a tool. */
    model: text("model").notNull(),
    /** Null if the provider reported no figure: unknown is not zero. */
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    costMicros: integer("cost_micros"),
    firstTokenMs: integer("first_token_ms"),
    /** Null for a call that the server's own death cut off: no one measured it. */
    durationMs: integer("duration_ms"),
    outcome: text("outcome", { enum: ["ok", "stopped", "interrupted", "error"] }).notNull(),
    errorCode: text("error_code"),
    /** What asked: the chat, a comparison, a program through the gateway, the embedding and search of documents, … */
    source: text("source", { enum: ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp"] })
      .notNull()
      .default("chat"),
    tokenId: text("token_id"),
    workflowId: text("workflow_id"),
    runId: text("run_id"),
    stepId: text("step_id"),
    pluginId: text("plugin_id"),
    personaId: text("persona_id"),
    /** The tool's own name, for a call to a tool. */
    tool: text("tool"),
    /** Why the provider was chosen and every attempt (models.schema, RouteRecord). */
    route: text("route", { mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    /** The day whose sums hold this row, such as 2026-03-29; null for one of an older program that none hold yet. */
    day: text("day"),
  },
  (table) => [
    index("usage_records_org").on(table.orgId, table.createdAt),
    index("usage_records_provider").on(table.providerId, table.createdAt),
    index("usage_records_unsummed").on(table.createdAt).where(sql`day is null`),
  ],
);

/**
 * The rows of a day added up, written by the commit that writes the row. Parts of the key that a call has none of are
 * empty, since SQLite takes every null for another one.
 */
export const usageDays = sqliteTable(
  "usage_days",
  {
    orgId: orgId(),
    /** Of the organisation's time zone, such as 2026-03-29. */
    day: text("day").notNull(),
    source: text("source", {
      enum: ["chat", "comparison", "gateway", "knowledge", "workflow", "mcp"],
    }).notNull(),
    model: text("model").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id").notNull(),
    personaId: text("persona_id").notNull(),
    workflowId: text("workflow_id").notNull(),
    tokenId: text("token_id").notNull(),
    /** Empty for calls to models. */
    tool: text("tool").notNull(),
    requests: integer("requests").notNull(),
    errors: integer("errors").notNull(),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
    costMicros: integer("cost_micros").notNull(),
    /** Requests whose cost isn't known: unknown is not zero. */
    unpriced: integer("unpriced").notNull(),
    /** Sum of the times to the first token, and how many requests have one. */
    firstTokenMs: integer("first_token_ms").notNull(),
    firstTokens: integer("first_tokens").notNull(),
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
