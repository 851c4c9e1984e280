import type { UsageMetric } from "./usage-choices.shared";

/** Height of a chart in px; its width is a share of what there is. */
export const CHART_HEIGHT = 208;
/** Width of the paths' own system; they are stretched to the width there is. */
export const CHART_WIDTH = 1000;

/** A chart as the server lays it out. Values are in the metric's unit; shares are percentages of the width. */
export interface UsageChart {
  metric: UsageMetric;
  /** Bars are stacked; lines are averages, which can't be. */
  kind: "bars" | "lines";
  /** Label of each series, the largest first. */
  series: string[];
  /** By series, in the paths' own system; empty where there is nothing to draw. */
  paths: string[];
  /** By series: the measured values of lines. */
  dots: string[];
  /** `y` in px from the top. */
  ticks: { y: number; value: number }[];
  points: ChartPoint[];
}

export interface ChartPoint {
  /** A day, such as 2026-03-29, or the start of an hour. */
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
