import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";
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
    reasoningEffort: text("reasoning_effort", { enum: ["default", "none", "low", "medium", "high", "max"] })
      .notNull()
      .default("default"),
    tools: text("tools", { mode: "json" }).notNull().$type<string[]>(),
    /** Ids of `skills`, also of ones that are gone or hidden from who asks. */
    skills: text("skills", { mode: "json" }).notNull().default([]).$type<string[]>(),
    /** Ids of the personas that its model may ask. */
    assistants: text("assistants", { mode: "json" }).notNull().default([]).$type<string[]>(),
    /** Model calls per question to one of them. */
    assistantSteps: integer("assistant_steps").notNull().default(3),
    /** What they may cost together in one answer, in dollars. */
    assistantBudget: real("assistant_budget").notNull().default(0.1),
    approval: text("approval", { enum: ["default", "ask", "organisation"] })
      .notNull()
      .default("default"),
    /** `everyone`, the groups in `persona_groups`, or the creator; admins see all. */
    visibility: text("visibility", { enum: ["everyone", "groups", "own"] })
      .notNull()
      .default("everyone"),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("personas_name").on(table.orgId, table.name)],
);

export const personaGroups = sqliteTable(
  "persona_groups",
  {
    personaId: childOf("persona_id", () => personas.id),
    groupId: childOf("group_id", () => groups.id),
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
    userId: childOf("user_id", () => users.id),
    title: text("title").notNull(),
    model: text("model").notNull(),
    settings: text("settings", { mode: "json" }).notNull().default({}).$type<Record<string, unknown>>(),
    /** The last stream event's id; ids increase over the whole conversation. */
    lastEventId: integer("last_event_id").notNull().default(0),
    comparisonId: text("comparison_id").references((): AnySQLiteColumn => comparisons.id, {
      onDelete: "cascade",
    }),
    /** When a passage of a restricted document was first added; null before. */
    restrictedAt: integer("restricted_at"),
    sharingAllowedAt: integer("sharing_allowed_at"),
    /** First words of the first message, a generated title, or the user's own, which is never replaced. */
    titleSource: text("title_source", { enum: ["message", "model", "person"] })
      .notNull()
      .default("message"),
    folderId: text("folder_id").references((): AnySQLiteColumn => conversationFolders.id, {
      onDelete: "set null",
    }),
    pinnedAt: integer("pinned_at"),
    archivedAt: integer("archived_at"),
    /** When it was deleted: hidden at once, removed after the restore period. */
    deletedAt: integer("deleted_at"),
    /** When external content (a page, passage or attachment) was first added; null before. */
    outsideContentAt: integer("outside_content_at"),
    /** When the owner approved a tool for the whole conversation, by tool name. */
    toolApprovals: text("tool_approvals", { mode: "json" })
      .notNull()
      .default({})
      .$type<Record<string, number>>(),
    /** When a response finished while no page showed it; null once opened. */
    unreadAt: integer("unread_at"),
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
    // Finds what a retention deletes.
    index("conversations_kept").on(table.orgId, table.updatedAt).where(sql`deleted_at is null`),
    index("conversations_folder").on(table.folderId).where(sql`folder_id is not null`),
  ],
);

/** Folders of one person, which become projects by instructions, a persona, files or members. */
export const conversationFolders = sqliteTable(
  "conversation_folders",
  {
    id: id(),
    orgId: orgId(),
    /** Its owner. */
    userId: childOf("user_id", () => users.id),
    name: text("name").notNull(),
    /** Part of the system prompt of its conversations. */
    instructions: text("instructions").notNull().default(""),
    /** Of its new conversations. */
    personaId: text("persona_id").references(() => personas.id, { onDelete: "set null" }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("conversation_folders_name").on(table.orgId, table.userId, table.name),
    index("conversation_folders_persona").on(table.personaId).where(sql`persona_id is not null`),
  ],
);

/** Others than the owner who use a folder; each has conversations of their own in it. */
export const conversationFolderMembers = sqliteTable(
  "conversation_folder_members",
  {
    folderId: childOf("folder_id", () => conversationFolders.id),
    userId: childOf("user_id", () => users.id),
    /** An editor changes instructions, persona and files. */
    role: text("role", { enum: ["viewer", "editor"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.folderId, table.userId] }),
    index("conversation_folder_members_user").on(table.userId),
  ],
);

export const comparisons = sqliteTable(
  "comparisons",
  {
    id: id(),
    orgId: orgId(),
    userId: childOf("user_id", () => users.id),
    prompt: text("prompt").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("comparisons_user").on(table.orgId, table.userId, table.createdAt),
    index("comparisons_created").on(table.orgId, table.createdAt),
  ],
);

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    conversationId: childOf("conversation_id", () => conversations.id),
    position: integer("position").notNull(),
    role: text("role", { enum: ["user", "assistant"] }).notNull(),
    /**
     * A response goes from `streaming` to one of the others, and from `waiting` (for approvals) back to
     * `streaming`.
     */
    status: text("status", {
      enum: ["complete", "streaming", "waiting", "stopped", "interrupted", "failed"],
    }).notNull(),
    parts: text("parts", { mode: "json" }).notNull().$type<unknown[]>(),
    model: text("model"),
    personaName: text("persona_name"),
    error: text("error"),
    metrics: text("metrics", { mode: "json" }).$type<Record<string, unknown>>(),
    /** What the provider wants to see again of a response's steps (StepState). */
    stepStates: text("step_states", { mode: "json" }).$type<unknown[]>(),
    /** Settings to continue the response with after approvals (chat.schema). */
    settings: text("settings", { mode: "json" }).$type<Record<string, unknown>>(),
    /**
     * The previous message; messages with the same parent are variants. No foreign key: SQLite cascades
     * through at most 1,000 rows.
     */
    parentId: text("parent_id"),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    uniqueIndex("messages_position").on(table.conversationId, table.position),
    index("messages_status").on(table.status),
    // Both cover walks along branches, so that messages' parts aren't read.
    index("messages_ancestry").on(table.id, table.parentId, table.position),
    index("messages_children").on(table.conversationId, table.parentId, table.position, table.role, table.id),
  ],
);

export const messageFeedback = sqliteTable(
  "message_feedback",
  {
    messageId: childOf("message_id", () => messages.id),
    userId: childOf("user_id", () => users.id),
    rating: text("rating", { enum: ["up", "down"] }).notNull(),
    comment: text("comment"),
    /** Whether admins may read the comment, the question and the answer. */
    shared: integer("shared", { mode: "boolean" }).notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.userId] }),
    index("message_feedback_user").on(table.userId),
  ],
);

/** What models are sent in place of a branch's messages up to one of them. */
export const conversationSummaries = sqliteTable(
  "conversation_summaries",
  {
    /** The last message that it stands for. */
    messageId: text("message_id")
      .primaryKey()
      .references(() => messages.id, { onDelete: "cascade" }),
    conversationId: childOf("conversation_id", () => conversations.id),
    text: text("text").notNull(),
    /** The model that wrote it. */
    model: text("model").notNull(),
    /** Tokens of what it stands for. */
    tokens: integer("tokens").notNull(),
    /** Documents that the messages quote, which decide on what tools may share. */
    documents: text("documents", { mode: "json" }).notNull().$type<string[]>(),
    editedAt: integer("edited_at"),
    /** When its owner undid it: the messages are sent again as long as they fit. */
    undoneAt: integer("undone_at"),
    createdAt: createdAt(),
  },
  (table) => [index("conversation_summaries_conversation").on(table.conversationId)],
);

/** Cache of a finished message's parsed Markdown (chat/markdown/render-task). */
export const messageRenderings = sqliteTable("message_renderings", {
  messageId: text("message_id")
    .primaryKey()
    .references(() => messages.id, { onDelete: "cascade" }),
  version: integer("version").notNull(),
  trees: text("trees").notNull(),
  nodes: integer("nodes").notNull(),
});

/** Buffered stream events, until the response is complete. */
export const answerEvents = sqliteTable(
  "answer_events",
  {
    messageId: childOf("message_id", () => messages.id),
    firstId: integer("first_id").notNull(),
    lastId: integer("last_id").notNull(),
    /** A JSON array of UI message stream chunks, one per id. */
    events: text("events").notNull(),
  },
  (table) => [primaryKey({ columns: [table.messageId, table.firstId] })],
);

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

/** Facts about a person for their own chats, or about a project for those in it. */
export const memories = sqliteTable(
  "memories",
  {
    id: id(),
    orgId: orgId(),
    /** Whose it is, or who added it to a project. */
    userId: childOf("user_id", () => users.id),
    /** The project that it is about; null if it is about the person. */
    folderId: text("folder_id").references(() => conversationFolders.id, { onDelete: "cascade" }),
    text: text("text").notNull(),
    /** Null while it is a model's proposal, which no chat uses. */
    keptAt: integer("kept_at"),
    /** Where it was proposed, with which an undecided proposal goes; null once it is kept. */
    conversationId: text("conversation_id").references(() => conversations.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    index("memories_user").on(table.userId, table.createdAt),
    index("memories_conversation").on(table.conversationId).where(sql`conversation_id IS NOT NULL`),
    index("memories_folder").on(table.folderId, table.createdAt).where(sql`folder_id IS NOT NULL`),
  ],
);
