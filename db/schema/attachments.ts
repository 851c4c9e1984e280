import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { createdAt, id } from "./columns";
import { orgId, users } from "./people";

/**
 * Files attached to chat messages. Bytes and extracted text are stored once in the data folder, named by
 * their digest.
 */
export const attachments = sqliteTable(
  "attachments",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
    conversationId: text("conversation_id").references(() => conversations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    size: integer("size").notNull(),
    /** SHA-256, in hex. */
    sha: text("sha").notNull(),
    /** SHA-256 of the extracted text; null for an image. */
    textSha: text("text_sha"),
    /** In characters. */
    textLength: integer("text_length"),
    tokens: integer("tokens").notNull(),
    /** In pixels. */
    width: integer("width"),
    height: integer("height"),
    createdAt: createdAt(),
  },
  (table) => [
    index("attachments_conversation").on(table.conversationId),
    index("attachments_unsent").on(table.userId, table.createdAt),
    index("attachments_sha").on(table.sha),
    index("attachments_text").on(table.textSha),
  ],
);
