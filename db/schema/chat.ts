import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { groups, orgId, users } from "./people";

export const personas = sqliteTable(
  "personas",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    systemPrompt: text("system_prompt").notNull(),
    defaultModel: text("default_model").notNull(),
    mode: text("mode", { enum: ["default", "research", "operations", "development"] }).notNull(),
    tools: text("tools", { mode: "json" }).notNull().$type<string[]>(),
    /** Which tool calls wait for a person in chat (personas.schema). */
    approval: text("approval", { enum: ["default", "ask", "organisation"] })
      .notNull()
      .default("default"),
    /** Visible to everyone, to `persona_groups`, or to its creator; admins see all. */
    visibility: text("visibility", { enum: ["everyone", "groups", "own"] })
      .notNull()
      .default("everyone"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("personas_name").on(table.orgId, table.name)],
);

/** Groups whose members see a persona. */
export const personaGroups = sqliteTable(
  "persona_groups",
  {
    personaId: text("persona_id")
      .notNull()
      .references(() => personas.id, { onDelete: "cascade" }),
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.personaId, table.groupId] }),
    index("persona_groups_group").on(table.groupId),
  ],
);

export const conversations = sqliteTable(
  "conversations",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    model: text("model").notNull(),
    /** Persona, Max Steps and tools as last used, so that the form shows them again (chat.schema). */
    settings: text("settings", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    /** The id of the last stream event given out; ids increase over the whole conversation. */
    lastEventId: integer("last_event_id").notNull().default(0),
    /** The comparison it is a column of; null for a conversation of its own. */
    comparisonId: text("comparison_id").references((): AnySQLiteColumn => comparisons.id, {
      onDelete: "cascade",
    }),
    /** When it first held a passage of a document that not everybody may see; null before. */
    restrictedAt: integer("restricted_at"),
    /** When its owner allowed tools to share what it holds all the same; null while they may not. */
    sharingAllowedAt: integer("sharing_allowed_at"),
    /** The first words of its first message, a model's proposal, or what a person typed, which nothing replaces. */
    titleSource: text("title_source", { enum: ["message", "model", "person"] })
      .notNull()
      .default("message"),
    folderId: text("folder_id").references((): AnySQLiteColumn => conversationFolders.id, {
      onDelete: "set null",
    }),
    pinnedAt: integer("pinned_at"),
    archivedAt: integer("archived_at"),
    /** When its owner deleted it: hidden from then on, and removed once it can't be restored any more. */
    deletedAt: integer("deleted_at"),
    /** When content from outside first came into it: a fetched page, a passage, an attachment; null before. */
    outsideContentAt: integer("outside_content_at"),
    /** When its owner approved a tool for all of it, by the tool's name. */
    toolApprovals: text("tool_approvals", { mode: "json" })
      .notNull()
      .default({})
      .$type<Record<string, number>>(),
    /** When an answer of it ended while no page showed it, until its owner opens it; null otherwise. */
    unreadAt: integer("unread_at"),
    /** The last message of the branch that is shown and sent to models; null while it has no message. */
    activeMessageId: text("active_message_id"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("conversations_user").on(table.orgId, table.userId, table.updatedAt),
    index("conversations_comparison").on(table.comparisonId),
    index("conversations_pinned")
      .on(table.orgId, table.userId, table.updatedAt)
      .where(sql`pinned_at is not null`),
    index("conversations_deleted").on(table.deletedAt).where(sql`deleted_at is not null`),
    index("conversations_folder").on(table.folderId).where(sql`folder_id is not null`),
  ],
);

/** A person's own folders of conversations. */
export const conversationFolders = sqliteTable(
  "conversation_folders",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("conversation_folders_name").on(table.orgId, table.userId, table.name)],
);

/** One prompt put to several models side by side; each model's answer is a conversation. */
export const comparisons = sqliteTable(
  "comparisons",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    prompt: text("prompt").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("comparisons_user").on(table.orgId, table.userId, table.createdAt)],
);

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    conversationId: text("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    role: text("role", { enum: ["user", "assistant"] }).notNull(),
    /**
     * `complete` for a user's message; an answer runs through `streaming` to one of the others. `waiting` for approvals it
     * returns to `streaming`.
     */
    status: text("status", {
      enum: ["complete", "streaming", "waiting", "stopped", "interrupted", "failed"],
    }).notNull(),
    /** Text, reasoning and tool-call parts in order (chat.schema). */
    parts: text("parts", { mode: "json" }).notNull().$type<unknown[]>(),
    model: text("model"),
    personaName: text("persona_name"),
    /** The error message of a failed answer. */
    error: text("error"),
    /** Tokens, cost and times of the whole answer (chat.schema). */
    metrics: text("metrics", { mode: "json" }).$type<Record<string, unknown>>(),
    /** Persona, Max Steps and tools of an answer, to continue it with after approvals (chat.schema). */
    settings: text("settings", { mode: "json" }).$type<Record<string, unknown>>(),
    /**
     * The message it follows, of the same conversation; null for a first one. Messages that follow the same one are
     * variants. Without a foreign key: SQLite cascades through at most 1,000 rows, and only whole conversations go.
     */
    parentId: text("parent_id"),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    uniqueIndex("messages_position").on(table.conversationId, table.position),
    index("messages_status").on(table.status),
    // Both cover the walks along branches, which must not read the messages' parts.
    index("messages_ancestry").on(table.id, table.parentId, table.position),
    index("messages_children").on(table.conversationId, table.parentId, table.position, table.role, table.id),
  ],
);

/** A person's rating of an answer. */
export const messageFeedback = sqliteTable(
  "message_feedback",
  {
    messageId: text("message_id")
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    rating: text("rating", { enum: ["up", "down"] }).notNull(),
    comment: text("comment"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.userId] }),
    index("message_feedback_user").on(table.userId),
  ],
);

/** A finished message's Markdown as the screens draw it (chat/markdown/stored.schema), made once. */
export const messageRenderings = sqliteTable("message_renderings", {
  messageId: text("message_id")
    .primaryKey()
    .references(() => messages.id, { onDelete: "cascade" }),
  /** Of the trees' format; another one is made again. */
  version: integer("version").notNull(),
  trees: text("trees").notNull(),
  /** Elements of all trees. */
  nodes: integer("nodes").notNull(),
});

/** Groups of stream events as they arrived, until the answer is complete and its parts are written. */
export const answerEvents = sqliteTable(
  "answer_events",
  {
    messageId: text("message_id")
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    firstId: integer("first_id").notNull(),
    lastId: integer("last_id").notNull(),
    /** A JSON array of UI message stream chunks, one per id. */
    events: text("events").notNull(),
  },
  (table) => [primaryKey({ columns: [table.messageId, table.firstId] })],
);

/** The key-value store of the tools kv.set and kv.get, shared by the organisation. */
export const kvEntries = sqliteTable(
  "kv_entries",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    value: text("value").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);
