import { dayIn } from "~/core/time-zone";
import type { BudgetPeriod } from "./budgets.schema";

/**
 * The day or month of a time, such as 2026-03-29 or 2026-03. Days are calendar days of the time zone and have 23 or 25
 * hours when clocks change.
 *
 * @param at ms since the epoch
 */
export function periodKey(period: BudgetPeriod, at: number, timeZone: string): string {
  const day = dayIn(at, timeZone);
  return period === "day" ? day : day.slice(0, 7);
}

export function resetDay(key: string): string {
  const [year = 0, month = 1, day] = key.split("-").map(Number);
  const next = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return new Date(next).toISOString().slice(0, 10);
}
