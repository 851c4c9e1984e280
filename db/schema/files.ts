import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { createdAt, id } from "./columns";
import { orgId, users } from "./people";
import { workflowRuns } from "./workflows";

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

/** Files returned by tool calls, deleted with the conversation or run. */
export const toolFiles = sqliteTable(
  "tool_files",
  {
    id: id(),
    orgId: orgId(),
    conversationId: text("conversation_id").references(() => conversations.id, { onDelete: "cascade" }),
    runId: text("run_id").references(() => workflowRuns.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Detected from the bytes; `application/octet-stream` if it isn't an image. */
    mediaType: text("media_type").notNull(),
    /** In bytes. */
    size: integer("size").notNull(),
    /** SHA-256, in hex. */
    sha: text("sha").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("tool_files_conversation").on(table.conversationId),
    index("tool_files_run").on(table.runId),
  ],
);

export const brandImages = sqliteTable(
  "brand_images",
  {
    orgId: orgId(),
    name: text("name").notNull(),
    mediaType: text("media_type").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.name] })],
);

/** Files in folders of the data folder that rows name, and whether the second place of files has a copy of each. */
export const storedFiles = sqliteTable(
  "stored_files",
  {
    /** In the data folder, such as `attachments/<sha>`. */
    path: text("path").primaryKey(),
    /** SHA-256, in hex, which names the copy; null until it was computed. */
    sha: text("sha"),
    bytes: integer("bytes"),
    /** `sending`: a copy may exist. `missing`: neither the file nor a copy was found. */
    state: text("state", { enum: ["waiting", "sending", "copied", "missing"] }).notNull(),
    /** When the state changed, or a copy was last seen there. */
    changedAt: integer("changed_at").notNull(),
    /** When nothing named it any more; its copy is deleted after a grace time. */
    removedAt: integer("removed_at"),
  },
  (table) => [
    index("stored_files_state").on(table.state, table.changedAt),
    index("stored_files_sha").on(table.sha),
    index("stored_files_removed").on(table.removedAt),
  ],
);
