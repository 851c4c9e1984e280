import type { Db } from "~/core/db.server";
import { notify } from "~/team/notifications/notify.service.server";
import { budgetName, formatAmount, formatDay } from "./budget-names.shared";
import type { BudgetRow } from "./budgets.repo.server";
import { resetDay } from "./period.server";
import { readTargetNames } from "./targets.repo.server";

/** Amounts in stored units. */
interface BudgetReport {
  kind: "near" | "used-up";
  budget: BudgetRow;
  spent: number;
  limit: number;
  period: string;
}

/** Notifies admins and the budget's member within the call's transaction. */
export function reportBudget(tx: Db, { kind, budget, spent, limit, period }: BudgetReport): void {
  const { id, orgId, scope, scopeId, unit } = budget;
  const name = readTargetNames(tx, orgId, scope, [scopeId]).get(scopeId) ?? null;
  const state = kind === "used-up" ? "is used up" : `is ${Math.floor((spent / limit) * 100)}% spent`;
  const resets = `It resets on ${formatDay(resetDay(period))}.`;
  const common = {
    event: "budget.near" as const,
    organisationId: orgId,
    // An exception raises the limit, which may be neared again.
    dedupeKey: `${id} ${period} ${kind} ${limit}`,
  };
  notify(tx, {
    ...common,
    audience: { permission: "budgets.manage" },
    title: `${budgetName({ ...budget, name })} ${state}`,
    body: `${formatAmount(unit, spent)} of ${formatAmount(unit, limit)}. ${resets}`,
    link: "/usage/budgets",
    isPrivate: scope !== "organisation",
  });
  if (scope !== "person") return;
  notify(tx, {
    ...common,
    audience: { permission: "screens.read", userIds: [scopeId] },
    title: `${budgetName({ ...budget, name }, true)} ${state}`,
    body: resets,
    link: "/usage",
    isPrivate: true,
  });
}
