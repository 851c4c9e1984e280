import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { applicableBudgets, type Spender } from "./applicable.server";
import { budgetName, formatDay } from "./budget-names.shared";
import type { BudgetRow } from "./budgets.repo.server";
import type { BudgetWarning } from "./budgets.schema";
import { stateOf } from "./budgets.service.server";
import { readBalance } from "./ledger.repo.server";
import { periodKey, resetDay } from "./period.server";
import { readTargetNames } from "./targets.repo.server";

/** A sentence without amounts, which only admins see. */
function warningFor(budget: BudgetRow, isOwn: boolean): BudgetWarning | undefined {
  const { id, orgId, scope, scopeId, limit } = budget;
  const key = periodKey(budget.period, now(), orgTimeZone(orgId));
  const balance = readBalance(db(), id, key);
  const state = stateOf(budget, balance);
  if (state === "ok") return undefined;
  const name = readTargetNames(db(), orgId, scope, [scopeId]).get(scopeId) ?? null;
  const subject = budgetName({ ...budget, name }, isOwn);
  const resets = `It resets on ${formatDay(resetDay(key))}.`;
  if (state === "used-up")
    return {
      state,
      text: `${subject} is used up. ${resets} Ask an admin to raise it or grant an exception.`,
    };
  const share = Math.floor((balance.spent / (limit + balance.extra)) * 100);
  return { state, text: `${subject} is ${share}% spent. ${resets}` };
}

/** Warnings about the budgets of a person's own tokens, by token id. */
export function listTokenBudgetWarnings(
  { orgId, userId }: Pick<Spender, "orgId" | "userId">,
  tokens: readonly { id: string }[],
): Record<string, BudgetWarning[]> {
  return Object.fromEntries(
    tokens.map(({ id }) => [id, listBudgetWarnings({ orgId, userId, tokenId: id }, ["token"])]),
  );
}

/** Warnings about the budgets of a call, exhausted ones first. */
export function listBudgetWarnings(
  spender: Spender,
  scopes?: readonly BudgetRow["scope"][],
): BudgetWarning[] {
  const warnings = applicableBudgets(spender)
    .filter(({ scope }) => scopes?.includes(scope) ?? true)
    .flatMap((budget) => warningFor(budget, budget.scope === "person") ?? []);
  return warnings.sort((a, b) => Number(b.state === "used-up") - Number(a.state === "used-up"));
}
