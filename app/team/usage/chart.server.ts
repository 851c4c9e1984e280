import type { ChartLayout, SeriesColor } from "~/ui/chart.shared";
import { layOutChart } from "~/ui/chart-layout.server";
import { type DetailedUsage, figuresOf, metricOf } from "./figures.shared";
import type { UsageQuery } from "./usage.schema";
import { METRIC_UNITS } from "./usage.shared";
import { dayAddress, groupAddress } from "./usage-address.shared";

function labelFormatter(unit: "day" | "hour", timeZone: string): (at: string) => string {
  const format =
    unit === "day"
      ? new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" })
      : new Intl.DateTimeFormat("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
  return (at) => format.format(Date.parse(at));
}

/** In px. */
const HEIGHT = 208;

interface LayoutOptions {
  height?: number;
  limit?: { value: number; label: string } | undefined;
  /** How the groups that aren't shown are drawn. */
  rest?: [name: string, color: SeriesColor];
}

/** A report's metric by day or hour, the largest groups in their own colors. Days and groups lead to their usage. */
export function layOutUsage(
  { colors, groups, parts, points, shown, unit }: DetailedUsage,
  query: UsageQuery,
  timeZone: string,
  { height = HEIGHT, limit, rest = ["Other", "neutral"] }: LayoutOptions = {},
): ChartLayout {
  const { metric } = query;
  const hasRest = parts.some((part) => (part[shown.length]?.requests ?? 0) > 0);
  const labels = new Map(groups.map(({ key, label }) => [key, label]));
  const series: ChartLayout["series"] = shown.map((key, at) => ({
    name: labels.get(key) ?? key,
    color: colors[at] ?? "neutral",
    to: groupAddress(query, key),
  }));
  if (hasRest) series.push({ name: rest[0], color: rest[1] });
  const label = labelFormatter(unit, timeZone);
  return layOutChart({
    unit: METRIC_UNITS[metric],
    kind: metric === "first-token" ? "lines" : "bars",
    height,
    series,
    limit,
    points: points.map((point, at) => ({
      at: point.at,
      label: label(point.at),
      total: metricOf(point, metric),
      values: series.map((_, index) => {
        const sums = parts[at]?.[index];
        return sums ? metricOf(figuresOf(sums), metric) : null;
      }),
      ...(unit === "day" && { to: dayAddress(query, point.at) }),
    })),
  });
}
