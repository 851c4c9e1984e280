import type { Actor } from "~/core/actor";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { layOutChart } from "./chart.server";
import type { UsageChart } from "./chart.shared";
import type { UsageQuery, UsageReport } from "./usage.schema";
import { DIMENSIONS, type UsageDimension } from "./usage-choices.shared";
import { boundsOf } from "./usage-range";
import { readLabels, readUsageReport, scopeOf } from "./usage-report.service.server";

/** Groups shown separately in a chart. */
const SERIES = 5;

export interface UsageView extends UsageReport {
  chart: UsageChart;
  /** Labels of the active filters. */
  narrowed: Partial<Record<UsageDimension, string>>;
  /** Half-open: `from` inclusive. */
  bounds: { from: number; before: number };
}

/** @throws AppError `forbidden`; `unavailable` when too slow */
export async function viewUsage(actor: Actor, query: UsageQuery): Promise<UsageView> {
  const { parts, shown, ...report } = await readUsageReport(actor, query, SERIES);
  const narrowed = DIMENSIONS.flatMap((name) => {
    const key = query[name];
    return key === undefined ? [] : [[name, readLabels(actor, name)(key)]];
  });
  return {
    ...report,
    chart: layOutChart({ ...report, parts, shown }, query.metric, orgTimeZone(actor.orgId)),
    narrowed: Object.fromEntries(narrowed),
    bounds: boundsOf(scopeOf(actor, query).range, orgTimeZone(actor.orgId)),
  };
}
