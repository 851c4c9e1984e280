import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

/** Chats on other sites. */
export const widgets = sqliteTable(
  "widgets",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    /** In its public address, and so no secret. */
    token: text("token").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    personaId: text("persona_id"),
    /** Empty for the persona's, or a new chat's. */
    model: text("model").notNull(),
    /** WidgetSettings of its schema. */
    settings: text("settings", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** When it closes; null for never. */
    expiresAt: integer("expires_at"),
    /** When it was deleted: closed at once, removed with its conversations by a job. */
    deletedAt: integer("deleted_at"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("widgets_token").on(table.token),
    uniqueIndex("widgets_name").on(table.orgId, table.name).where(sql`deleted_at is null`),
  ],
);

export const widgetConversations = sqliteTable(
  "widget_conversations",
  {
    id: id(),
    widgetId: childOf("widget_id", () => widgets.id),
    /** SHA-256 of the key that the visitor's page holds. */
    visitorHash: text("visitor_hash").notNull(),
    /** Questions so far. */
    questions: integer("questions").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("widget_conversations_widget").on(table.widgetId, table.updatedAt, table.id)],
);

export const widgetMessages = sqliteTable(
  "widget_messages",
  {
    id: id(),
    conversationId: childOf("conversation_id", () => widgetConversations.id),
    position: integer("position").notNull(),
    role: text("role", { enum: ["user", "assistant"] }).notNull(),
    content: text("content").notNull(),
    /** Documents that an answer cites. */
    sources: text("sources", { mode: "json" })
      .notNull()
      .default([])
      .$type<{ title: string; location: string }[]>(),
    status: text("status", { enum: ["complete", "stopped", "failed"] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("widget_messages_position").on(table.conversationId, table.position)],
);
