/** User units, stretched to the actual width. */
export const CHART_WIDTH = 1000;

/** Different colors of series; the seventeenth series has the first one's again. */
export const SERIES_COLORS = 16;

/** `cost` in millionths of a dollar, `duration` in ms, `percent` from 0 to 100. */
export type ChartUnit = "count" | "cost" | "duration" | "percent";

/** A series' own color by number, or what it means. */
export type SeriesColor = number | "success" | "warning" | "danger" | "info" | "neutral";

export interface ChartSeries {
  name: string;
  color: SeriesColor;
  /** Where its records are. */
  to?: string | undefined;
}

export interface ChartPoint {
  /** A day, or the start of an hour. */
  at: string;
  label: string;
  /** Share of the width in percent, as `width`. */
  x: number;
  width: number;
  hasTick: boolean;
  total: number | null;
  /** By series. */
  values: (number | null)[];
  /** Where its records are. */
  to?: string | undefined;
}

/** A chart as `layOutChart` lays it out, with values in its unit. */
export interface ChartLayout {
  unit: ChartUnit;
  kind: "bars" | "lines";
  height: number;
  series: ChartSeries[];
  /** By series; empty if nothing to draw. */
  paths: string[];
  /** By series, for lines. */
  dots: string[];
  /** `y` in px. */
  ticks: { y: number; value: number }[];
  /** `y` is null above the axis. */
  limit?: { value: number; label: string; y: number | null } | undefined;
  points: ChartPoint[];
}
