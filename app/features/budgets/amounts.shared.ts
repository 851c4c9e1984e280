export const UNITS = ["money", "tokens"] as const;
export type BudgetUnit = (typeof UNITS)[number];

export const MICROS = 1_000_000;

export const toMicros = (unit: BudgetUnit, amount: number): number =>
  unit === "money" ? Math.round(amount * MICROS) : amount;

export const fromStored = (unit: BudgetUnit, stored: number): number =>
  unit === "money" ? stored / MICROS : stored;
