import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { childOf, createdAt, id, updatedAt } from "./columns";
import { groups, orgId, users } from "./people";

export const conversationShares = sqliteTable("conversation_shares", {
  conversationId: text("conversation_id")
    .primaryKey()
    .references(() => conversations.id, { onDelete: "cascade" }),
  audience: text("audience", { enum: ["everyone", "members"] }).notNull(),
  messageId: text("message_id").notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const conversationReaders = sqliteTable(
  "conversation_readers",
  {
    conversationId: childOf("conversation_id", () => conversationShares.conversationId),
    userId: childOf("user_id", () => users.id),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.userId] }),
    index("conversation_readers_user").on(table.userId),
  ],
);

export const conversationReaderGroups = sqliteTable(
  "conversation_reader_groups",
  {
    conversationId: childOf("conversation_id", () => conversationShares.conversationId),
    groupId: childOf("group_id", () => groups.id),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.groupId] }),
    index("conversation_reader_groups_group").on(table.groupId),
  ],
);

export const conversationLinks = sqliteTable(
  "conversation_links",
  {
    id: id(),
    conversationId: childOf("conversation_id", () => conversations.id),
    secretHash: text("secret_hash").notNull(),
    messageId: text("message_id").notNull(),
    expiresAt: integer("expires_at"),
    lastOpenedAt: integer("last_opened_at"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("conversation_links_secret").on(table.secretHash),
    index("conversation_links_conversation").on(table.conversationId),
  ],
);

export const conversationImports = sqliteTable(
  "conversation_imports",
  {
    id: id(),
    orgId: orgId(),
    userId: childOf("user_id", () => users.id),
    fileName: text("file_name").notNull(),
    /** SHA-256 of the file, which finds the import again if its response was lost. */
    digest: text("digest"),
    state: text("state", { enum: ["running", "done", "failed", "cancelled"] }).notNull(),
    report: text("report", { mode: "json" }).notNull().$type<unknown>(),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [index("conversation_imports_user").on(table.userId, table.createdAt)],
);

/** Sources of imported conversations, to skip repeated imports. */
export const importedConversations = sqliteTable(
  "imported_conversations",
  {
    userId: childOf("user_id", () => users.id),
    /** Format and the export's id, or a content hash. */
    source: text("source").notNull(),
    conversationId: childOf("conversation_id", () => conversations.id),
    importId: childOf("import_id", () => conversationImports.id),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.source] }),
    index("imported_conversations_conversation").on(table.conversationId),
    index("imported_conversations_import").on(table.importId),
  ],
);

export const skills = sqliteTable(
  "skills",
  {
    id: id(),
    orgId: orgId(),
    /** As in its front matter, like the description. */
    name: text("name").notNull(),
    description: text("description").notNull(),
    /** The whole file. */
    markdown: text("markdown").notNull(),
    shared: integer("shared", { mode: "boolean" }).notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("skills_name").on(table.orgId, table.name),
    index("skills_author").on(table.orgId, table.createdBy),
  ],
);

export const prompts = sqliteTable(
  "prompts",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    text: text("text").notNull(),
    shared: integer("shared", { mode: "boolean" }).notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("prompts_author").on(table.orgId, table.createdBy),
    index("prompts_org").on(table.orgId, table.name),
  ],
);
