import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

/** Limits on model calls per day or month, in millionths of a US dollar or tokens. */
export const budgets = sqliteTable(
  "budgets",
  {
    id: id(),
    orgId: orgId(),
    scope: text("scope", {
      enum: ["organisation", "group", "person", "persona", "workflow", "token"],
    }).notNull(),
    scopeId: text("scope_id").notNull(),
    unit: text("unit", { enum: ["money", "tokens"] }).notNull(),
    period: text("period", { enum: ["day", "month"] }).notNull(),
    limit: integer("limit_amount").notNull(),
    warnAt: integer("warn_at"),
    unpriced: text("unpriced", { enum: ["allow", "refuse"] }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("budgets_target").on(table.orgId, table.scope, table.scopeId, table.unit, table.period),
  ],
);

export const budgetPeriods = sqliteTable(
  "budget_periods",
  {
    budgetId: text("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    /** In the organization's time zone, such as 2026-03-29 or 2026-03. */
    period: text("period").notNull(),
    spent: integer("spent").notNull().default(0),
    extra: integer("extra").notNull().default(0),
    unpriced: integer("unpriced").notNull().default(0),
    warnedAt: integer("warned_at"),
    usedUpAt: integer("used_up_at"),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.period] })],
);

/** Estimated cost of running calls. Cleared at startup. */
export const budgetReservations = sqliteTable(
  "budget_reservations",
  {
    budgetId: text("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    callId: text("call_id").notNull(),
    amount: integer("amount").notNull(),
    /** Estimate of prompt and received text, which counts if the process dies. */
    spent: integer("spent").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.callId] })],
);
