export const UNITS = ["money", "tokens"] as const;
export type BudgetUnit = (typeof UNITS)[number];

/** Millionths in a US dollar: amounts of money are stored in these. */
export const MICROS = 1_000_000;

/** An amount in stored units: millionths of a dollar, or tokens. */
export const toMicros = (unit: BudgetUnit, amount: number): number =>
  unit === "money" ? Math.round(amount * MICROS) : amount;

export const fromStored = (unit: BudgetUnit, stored: number): number =>
  unit === "money" ? stored / MICROS : stored;
