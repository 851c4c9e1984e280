import { scaleBand, scaleLinear } from "d3-scale";
import { line, stack } from "d3-shape";
import { CHART_WIDTH, type ChartLayout, type ChartSeries, type ChartUnit } from "./chart.shared";

/** In px, for the highest tick's label. */
const TOP = 8;
/** Fits a phone. */
const MAX_LABELS = 5;
/** Counts have no fractions, and a cent (in millionths of a dollar) or 10 ms are no peaks. */
const MIN_TOPS: Record<ChartUnit, number> = { count: 4, cost: 10_000, duration: 10, percent: 100 };
/** A limit further up is written beside the chart, as it would flatten what is drawn. */
const MAX_LIMIT_SHARE = 4;

interface ChartData {
  unit: ChartUnit;
  /** Bars are stacked; lines are averages. */
  kind: ChartLayout["kind"];
  /** In px. */
  height: number;
  series: ChartSeries[];
  points: { at: string; label: string; total: number | null; values: (number | null)[]; to?: string }[];
  limit?: { value: number; label: string } | undefined;
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

/** Lays a chart out for `Chart`, which draws it without d3. */
export function layOutChart({ unit, kind, height, series, points, limit }: ChartData): ChartLayout {
  const values = points.map((point) => point.values);
  const totals = points.map(({ total }) => total);
  const highest = Math.max(0, ...(kind === "bars" ? totals : values.flat()).map((value) => value ?? 0));
  const isLimitDrawn =
    limit !== undefined && limit.value <= Math.max(highest * MAX_LIMIT_SHARE, MIN_TOPS[unit]);
  const tickCount = height < 160 ? 3 : 4;
  const scale = scaleLinear()
    .domain([0, Math.max(highest, MIN_TOPS[unit], isLimitDrawn ? limit.value : 0)])
    .range([height, TOP])
    .nice(tickCount);
  const padding = points.length > 40 ? 0.15 : 0.3;
  const band = scaleBand<number>()
    .domain(points.map((_, at) => at))
    .range([0, CHART_WIDTH])
    .paddingInner(padding)
    .paddingOuter(padding / 2);
  const width = round(band.bandwidth());
  const x = points.map((_, at) => round(band(at) ?? 0));
  const numbers = values.map((row) => row.map((value) => value ?? 0));
  const every = Math.max(1, Math.ceil(points.length / MAX_LABELS));
  const step = band.step();
  return {
    unit,
    kind,
    height,
    series,
    paths: kind === "bars" ? stackedPaths(numbers, x, width, scale) : linePaths(values, x, width, scale),
    dots: kind === "bars" ? [] : dotPaths(values, x, width, scale),
    ticks: scale.ticks(tickCount).map((value) => ({ value, y: round(scale(value)) })),
    ...(limit && { limit: { ...limit, y: isLimitDrawn ? round(scale(limit.value)) : null } }),
    points: points.map((point, index) => ({
      ...point,
      x: round((((x[index] ?? 0) - (step - width) / 2) / CHART_WIDTH) * 100),
      width: round((step / CHART_WIDTH) * 100),
      hasTick: index % every === 0,
    })),
  };
}
