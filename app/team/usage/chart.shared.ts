import type { UsageMetric } from "./usage-choices.shared";

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
  /** Whether the axis has a label here. */
  hasTick: boolean;
  total: number | null;
  /** By series. */
  values: (number | null)[];
}
