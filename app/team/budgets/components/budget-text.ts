import { formatCount } from "~/ui/format";
import { toMicros } from "../amounts.shared";
import { formatAmount, formatDay } from "../budget-names.shared";
import type { Budget, BudgetScope } from "../budgets.schema";

export const SCOPE_LABELS: Record<BudgetScope, string> = {
  organisation: "Organization",
  group: "Group",
  person: "Member",
  persona: "Persona",
  workflow: "Workflow",
  token: "API token",
};

export function budgetTitle({ scope, name }: Pick<Budget, "scope" | "name">): string {
  if (scope === "organisation") return "Organization";
  return (
    name ?? `Deleted ${SCOPE_LABELS[scope].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`
  );
}

/** Within a sentence. */
export const budgetOwner = (budget: Pick<Budget, "scope" | "name">): string =>
  budget.scope === "organisation" ? "the Organization" : budgetTitle(budget);

export function figuresOf(budget: Budget): string {
  const { scope, period, unit, spent, reserved, limit, exception, resetsOn } = budget;
  const amount = (value: number) => formatAmount(unit, toMicros(unit, value));
  const number = (value: number) => (unit === "money" ? amount(value) : formatCount(value));
  return [
    ...(scope === "organisation" || scope === "person" ? [] : [SCOPE_LABELS[scope]]),
    period === "day" ? "Daily" : "Monthly",
    `${number(spent)} of ${amount(limit + exception)} spent`,
    ...(reserved > 0 ? [`${amount(reserved)} reserved`] : []),
    ...(exception > 0 ? [`includes an exception of ${amount(exception)}`] : []),
    `resets on ${formatDay(resetsOn)}`,
  ].join(" · ");
}
