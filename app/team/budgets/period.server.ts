import { now } from "~/core/clock.server";
import { dayIn } from "~/core/time-zone";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import type { BudgetRow } from "./budgets.repo.server";

/**
 * The present day or month of a budget, such as 2026-03-29 or 2026-03. Days are calendar days of the organization's time
 * zone and have 23 or 25 hours when clocks change.
 */
export function currentPeriod({ orgId, period }: BudgetRow): string {
  const day = dayIn(now(), orgTimeZone(orgId));
  return period === "day" ? day : day.slice(0, 7);
}

export function resetDay(period: string): string {
  const [year = 0, month = 1, day] = period.split("-").map(Number);
  const next = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return new Date(next).toISOString().slice(0, 10);
}
