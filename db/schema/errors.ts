import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Unexpected errors of the process, one row for those of the same message and place. */
export const errorReports = sqliteTable(
  "error_reports",
  {
    /** A digest of message, name and place. */
    fingerprint: text("fingerprint").primaryKey(),
    /** What the log says. */
    message: text("message").notNull(),
    /** The error's own message. */
    detail: text("detail"),
    stack: text("stack"),
    /** The request in which it occurred last. */
    requestId: text("request_id"),
    count: integer("count").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [index("error_reports_last").on(table.lastAt)],
);
