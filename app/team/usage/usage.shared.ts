export const RANGES = ["24h", "yesterday", "7d", "30d", "90d", "custom"] as const;
export type UsageRange = (typeof RANGES)[number];

export const METRICS = ["tokens", "spend", "requests", "first-token", "errors"] as const;
export type UsageMetric = (typeof METRICS)[number];

export const DIMENSIONS = ["model", "provider", "person", "persona", "workflow", "token", "tool"] as const;
export type UsageDimension = (typeof DIMENSIONS)[number];

/** In days. */
export const MAX_RANGE_DAYS = 366;

/** In px; the width is relative. */
export const CHART_HEIGHT = 208;
/** User units, stretched to the actual width. */
export const CHART_WIDTH = 1000;

/** Values in the metric's unit, shares in percent of the width. */
export interface UsageChart {
  metric: UsageMetric;
  /** Bars are stacked; lines are averages. */
  kind: "bars" | "lines";
  /** Largest first. */
  series: string[];
  /** By series; empty if nothing to draw. */
  paths: string[];
  /** By series, for lines. */
  dots: string[];
  /** `y` in px. */
  ticks: { y: number; value: number }[];
  points: ChartPoint[];
}

export interface ChartPoint {
  /** A day, or the start of an hour. */
  at: string;
  label: string;
  x: number;
  width: number;
  hasTick: boolean;
  total: number | null;
  /** By series. */
  values: (number | null)[];
}
