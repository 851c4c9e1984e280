export const SCOPES = ["organisation", "group", "person", "persona", "workflow", "token", "widget"] as const;
export type BudgetScope = (typeof SCOPES)[number];
export const PERIODS = ["day", "month"] as const;
type BudgetPeriod = (typeof PERIODS)[number];
export const UNITS = ["money", "tokens"] as const;
export type BudgetUnit = (typeof UNITS)[number];

/** A million dollars, or a trillion tokens. */
export const MAX_LIMIT = { money: 1_000_000, tokens: 1_000_000_000_000 } as const;

const MICROS = 1_000_000;

export const toMicros = (unit: BudgetUnit, amount: number): number =>
  unit === "money" ? Math.round(amount * MICROS) : amount;

export const fromStored = (unit: BudgetUnit, stored: number): number =>
  unit === "money" ? stored / MICROS : stored;

export const SCOPE_LABELS: Record<BudgetScope, string> = {
  organisation: "Organization",
  group: "Group",
  person: "Member",
  persona: "Persona",
  workflow: "Workflow",
  token: "API token",
  widget: "Widget",
};

/** A kind of target within a sentence. */
export const kindOf = (scope: BudgetScope): string =>
  SCOPE_LABELS[scope].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

interface Named {
  scope: BudgetScope;
  name: string | null;
}

/** A budget's target within a sentence, such as `the group "Crew"`. */
export function targetName({ scope, name }: Named): string {
  if (scope === "organisation") return "the organization";
  if (name === null) return `a deleted ${kindOf(scope)}`;
  return scope === "person" ? name : `the ${kindOf(scope)} "${name}"`;
}

/** A budget at the start of a sentence, such as `The monthly budget of the group "Crew"`. */
export function budgetName(budget: Named & { period: BudgetPeriod }, own = false): string {
  const period = budget.period === "day" ? "daily" : "monthly";
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
