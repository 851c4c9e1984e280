import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { createdAt, id } from "./columns";
import { orgId } from "./people";
import { workflowRuns } from "./workflows";

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
