import type { Db } from "~/core/db.server";
import { log } from "~/core/log.server";
import { budgetName, formatAmount, formatDay } from "./budget-names.schema";
import type { BudgetRow } from "./budgets.repo.server";
import { resetDay } from "./period.server";
import { readTargetNames } from "./targets.repo.server";

/** A budget that has come near its limit or reached it, once in each period. Amounts in stored units. */
export interface BudgetReport {
  kind: "near" | "used-up";
  budget: BudgetRow;
  spent: number;
  limit: number;
  period: string;
}

/** The report's sentence for admins. */
export function describeReport(tx: Db, { kind, budget, spent, limit, period }: BudgetReport): string {
  const { orgId, scope, scopeId, unit } = budget;
  const name = readTargetNames(tx, orgId, scope, [scopeId]).get(scopeId) ?? null;
  const subject = budgetName({ ...budget, name });
  const figures = `${formatAmount(unit, spent)} of ${formatAmount(unit, limit)}`;
  const resets = `It resets on ${formatDay(resetDay(period))}.`;
  if (kind === "used-up") return `${subject} is used up (${figures}). ${resets}`;
  return `${subject} is ${Math.floor((spent / limit) * 100)}% spent (${figures}). ${resets}`;
}

/** Reports a budget to the people who manage it, in the transaction that counted the call. */
export function reportBudget(tx: Db, report: BudgetReport): void {
  log.warn(report.kind === "near" ? "a budget is near its limit" : "a budget is used up", {
    reason: describeReport(tx, report),
  });
}
