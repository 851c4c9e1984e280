import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";
import { orgId } from "./people";

/** What calls to models may cost per day or month. Amounts are millionths of a US dollar, or tokens. */
export const budgets = sqliteTable(
  "budgets",
  {
    id: id(),
    orgId: orgId(),
    scope: text("scope", {
      enum: ["organisation", "group", "person", "persona", "workflow", "token"],
    }).notNull(),
    /** Id of what it is for; empty for the organisation. */
    scopeId: text("scope_id").notNull(),
    unit: text("unit", { enum: ["money", "tokens"] }).notNull(),
    period: text("period", { enum: ["day", "month"] }).notNull(),
    limit: integer("limit_amount").notNull(),
    /** Share of the limit from which a warning is sent, in percent; null for none. */
    warnAt: integer("warn_at"),
    /** What happens to calls whose price isn't known, in a budget of money. */
    unpriced: text("unpriced", { enum: ["allow", "refuse"] }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("budgets_target").on(table.orgId, table.scope, table.scopeId, table.unit, table.period),
  ],
);

/** What was spent of a budget in one day or month. */
export const budgetPeriods = sqliteTable(
  "budget_periods",
  {
    budgetId: text("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    /** Of the organisation's time zone, such as 2026-03-29 or 2026-03. */
    period: text("period").notNull(),
    spent: integer("spent").notNull().default(0),
    /** Added to the limit by exceptions. */
    extra: integer("extra").notNull().default(0),
    /** Calls whose cost isn't known. */
    unpriced: integer("unpriced").notNull().default(0),
    warnedAt: integer("warned_at"),
    usedUpAt: integer("used_up_at"),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.period] })],
);

/** Likely cost of calls that are running. Emptied at start: the calls of a process that died don't run any more. */
export const budgetReservations = sqliteTable(
  "budget_reservations",
  {
    budgetId: text("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    callId: text("call_id").notNull(),
    amount: integer("amount").notNull(),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.callId] })],
);
