import { formatCount } from "~/ui/format";
import type { Budget } from "../budgets.schema";
import { formatAmount, formatDay, kindOf, SCOPE_LABELS, toMicros } from "../budgets.shared";

export function budgetTitle({ scope, name }: Pick<Budget, "scope" | "name">): string {
  return scope === "organisation" ? SCOPE_LABELS[scope] : (name ?? `Deleted ${kindOf(scope)}`);
}

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
