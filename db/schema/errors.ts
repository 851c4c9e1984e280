import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Unexpected errors, one row per message and location. */
export const errorReports = sqliteTable(
  "error_reports",
  {
    /** Digest of message, name and location. */
    fingerprint: text("fingerprint").primaryKey(),
    message: text("message").notNull(),
    detail: text("detail"),
    stack: text("stack"),
    requestId: text("request_id"),
    count: integer("count").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [index("error_reports_last").on(table.lastAt)],
);
