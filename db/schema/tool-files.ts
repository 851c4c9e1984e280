import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { conversations } from "./chat";
import { createdAt, id } from "./columns";
import { orgId } from "./people";
import { workflowRuns } from "./workflows";

/** Images and other files among the results of tool calls. They go with the conversation or the run of the call. */
export const toolFiles = sqliteTable(
  "tool_files",
  {
    id: id(),
    orgId: orgId(),
    conversationId: text("conversation_id").references(() => conversations.id, { onDelete: "cascade" }),
    runId: text("run_id").references(() => workflowRuns.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Found in the bytes, whatever the tool says; `application/octet-stream` for what isn't an image. */
    mediaType: text("media_type").notNull(),
    /** In bytes. */
    size: integer("size").notNull(),
    /** SHA-256 of the bytes, in hexadecimal. */
    sha: text("sha").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("tool_files_conversation").on(table.conversationId),
    index("tool_files_run").on(table.runId),
  ],
);
