import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { createdAt, id } from "./columns";
import { orgId, users } from "./people";

/**
 * Files attached to chat messages; a message's parts name those it was sent with. Their bytes and the text that was read
 * from them are files of the data folder, named by their digest, so that equal ones are stored once.
 */
export const attachments = sqliteTable(
  "attachments",
  {
    id: id(),
    orgId: orgId(),
    /** Who uploaded it; null once it is sent, from when on it belongs to the conversation. */
    userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
    /** Null until it is sent. */
    conversationId: text("conversation_id").references(() => conversations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Found in the bytes, whatever its name says. */
    mediaType: text("media_type").notNull(),
    /** In bytes. */
    size: integer("size").notNull(),
    /** SHA-256 of the bytes, in hexadecimal. */
    sha: text("sha").notNull(),
    /** Of the text that was read from it; null for an image. */
    textSha: text("text_sha"),
    /** In characters; null for an image. */
    textLength: integer("text_length"),
    /** An estimate of what it takes of a model's context. */
    tokens: integer("tokens").notNull(),
    /** Of an image, in pixels. */
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
