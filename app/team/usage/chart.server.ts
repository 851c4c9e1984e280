import { scaleBand, scaleLinear } from "d3-scale";
import { line, stack } from "d3-shape";
import { type DetailedUsage, figuresOf, metricOf } from "./figures.shared";
import type { UsageMetric } from "./usage.shared";
import { CHART_HEIGHT, CHART_WIDTH, type UsageChart } from "./usage.shared";

/** In px, for the highest tick's label. */
const TOP = 8;
const TICKS = 4;
/** Fits a phone. */
const MAX_LABELS = 5;

function labelFormatter(unit: "day" | "hour", timeZone: string): (at: string) => string {
  const format =
    unit === "day"
      ? new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" })
      : new Intl.DateTimeFormat("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
  return (at) => format.format(Date.parse(at));
}

/** Two decimals keep the page small. */
const round = (value: number) => Math.round(value * 100) / 100;

type Y = (value: number) => number;

function stackedPaths(values: number[][], x: readonly number[], width: number, y: Y): string[] {
  const series = values[0]?.map((_, at) => at) ?? [];
  const stacked = stack<number[], number>()
    .keys(series)
    .value((row, at) => row[at] ?? 0)(values);
  return stacked.map((layer) =>
    layer
      .flatMap(([from, to], at) => {
        if (to <= from) return [];
        const top = round(y(to));
        return `M${x[at]} ${top}h${width}V${round(y(from))}h${-width}Z`;
      })
      .join(""),
  );
}

function linePaths(values: (number | null)[][], x: readonly number[], width: number, y: Y): string[] {
  const toPath = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => round((x[at] ?? 0) + width / 2))
    .y((value) => round(y(value ?? 0)));
  const series = values[0]?.map((_, at) => at) ?? [];
  return series.map((at) => toPath(values.map((row) => row[at] ?? null)) ?? "");
}

/** Values between gaps need dots. */
function dotPaths(values: (number | null)[][], x: readonly number[], width: number, y: Y): string[] {
  const series = values[0]?.map((_, at) => at) ?? [];
  return series.map((at) =>
    values
      .flatMap((row, index) => {
        const value = row[at] ?? null;
        return value === null ? [] : `M${round((x[index] ?? 0) + width / 2)} ${round(y(value))}h0`;
      })
      .join(""),
  );
}

export function layOutChart(report: DetailedUsage, metric: UsageMetric, timeZone: string): UsageChart {
  const { groups, parts, points, shown, unit } = report;
  const kind = metric === "first-token" ? "lines" : "bars";
  const hasRest = parts.some((part) => (part[shown.length]?.requests ?? 0) > 0);
  const labels = shown.map((key) => groups.find((group) => group.key === key)?.label ?? key);
  const series = hasRest ? [...labels, "Other"] : labels;
  const values = parts.map((part) =>
    series.map((_, at) => {
      const sums = part[at];
      return sums ? metricOf(figuresOf(sums), metric) : null;
    }),
  );
  const totals = points.map((point) => metricOf(point, metric));
  const highest = Math.max(0, ...(kind === "bars" ? totals : values.flat()).map((value) => value ?? 0));
  // Counts have no fractions.
  const minTop = metric === "spend" ? 100 : metric === "first-token" ? 10 : TICKS;
  const scale = scaleLinear()
    .domain([0, Math.max(highest, minTop)])
    .range([CHART_HEIGHT, TOP])
    .nice(TICKS);
  const padding = points.length > 40 ? 0.15 : 0.3;
  const band = scaleBand<number>()
    .domain(points.map((_, at) => at))
    .range([0, CHART_WIDTH])
    .paddingInner(padding)
    .paddingOuter(padding / 2);
  const width = round(band.bandwidth());
  const x = points.map((_, at) => round(band(at) ?? 0));
  const numbers = values.map((row) => row.map((value) => value ?? 0));
  const label = labelFormatter(unit, timeZone);
  const every = Math.max(1, Math.ceil(points.length / MAX_LABELS));
  const step = band.step();
  return {
    metric,
    kind,
    series,
    paths: kind === "bars" ? stackedPaths(numbers, x, width, scale) : linePaths(values, x, width, scale),
    dots: kind === "bars" ? [] : dotPaths(values, x, width, scale),
    ticks: scale.ticks(TICKS).map((value) => ({ value, y: round(scale(value)) })),
    points: points.map(({ at }, index) => ({
      at,
      label: label(at),
      x: round((((x[index] ?? 0) - (step - width) / 2) / CHART_WIDTH) * 100),
      width: round((step / CHART_WIDTH) * 100),
      hasTick: index % every === 0,
      total: totals[index] ?? null,
      values: values[index] ?? [],
    })),
  };
}
