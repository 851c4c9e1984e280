import { type BudgetUnit, MICROS } from "./amounts.shared";
import type { BudgetPeriod, BudgetScope } from "./budgets.schema";

const PERIODS: Record<BudgetPeriod, string> = { day: "daily", month: "monthly" };
const KINDS: Record<BudgetScope, string> = {
  organisation: "",
  group: "group",
  person: "",
  persona: "persona",
  workflow: "workflow",
  token: "API token",
};

interface Named {
  scope: BudgetScope;
  name: string | null;
}

/** A budget's target within a sentence, such as `the group "Crew"`. */
export function targetName({ scope, name }: Named): string {
  if (scope === "organisation") return "the organization";
  if (name === null) return `a deleted ${KINDS[scope] || "member"}`;
  return scope === "person" ? name : `the ${KINDS[scope]} "${name}"`;
}

/** A budget at the start of a sentence, such as `The monthly budget of the group "Crew"`. */
export function budgetName(budget: Named & { period: BudgetPeriod }, own = false): string {
  const period = PERIODS[budget.period];
  return own ? `Your ${period} budget` : `The ${period} budget of ${targetName(budget)}`;
}

const whole = new Intl.NumberFormat("en-US");
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const cents = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 2,
});

export function formatAmount(unit: BudgetUnit, stored: number): string {
  if (unit === "tokens") return `${whole.format(stored)} token${stored === 1 ? "" : "s"}`;
  const amount = stored / MICROS;
  return (amount > 0 && amount < 0.01 ? cents : dollars).format(amount);
}

const long = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", month: "long", day: "numeric" });

export const formatDay = (day: string): string => long.format(new Date(`${day}T00:00:00Z`));
