export const UNITS = ["money", "tokens"] as const;
export type BudgetUnit = (typeof UNITS)[number];

/** A million dollars, or a trillion tokens. */
export const MAX_LIMIT = { money: 1_000_000, tokens: 1_000_000_000_000 } as const;

export const MICROS = 1_000_000;

export const toMicros = (unit: BudgetUnit, amount: number): number =>
  unit === "money" ? Math.round(amount * MICROS) : amount;

export const fromStored = (unit: BudgetUnit, stored: number): number =>
  unit === "money" ? stored / MICROS : stored;

function checkAmount(unit: BudgetUnit, amount: number): string | undefined {
  if (unit === "tokens" && !Number.isInteger(amount)) return "Enter a whole number of tokens";
  if (amount > MAX_LIMIT[unit]) return `Enter at most ${MAX_LIMIT[unit].toLocaleString("en-US")}`;
  return undefined;
}

export function toStored(unit: BudgetUnit, amount: number): { stored: number } | { error: string } {
  const error = checkAmount(unit, amount);
  if (error) return { error };
  return { stored: toMicros(unit, amount) };
}
