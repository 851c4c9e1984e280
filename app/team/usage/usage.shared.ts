import type { ChartUnit } from "~/ui/chart.shared";

export const RANGES = ["24h", "yesterday", "7d", "14d", "30d", "90d", "custom"] as const;
export type UsageRange = (typeof RANGES)[number];

export const METRICS = ["tokens", "spend", "requests", "first-token", "errors"] as const;
export type UsageMetric = (typeof METRICS)[number];

export const DIMENSIONS = [
  "model",
  "provider",
  "person",
  "persona",
  "workflow",
  "token",
  "source",
  "tool",
] as const;
export type UsageDimension = (typeof DIMENSIONS)[number];

/** In days. */
export const MAX_RANGE_DAYS = 366;

export const METRIC_UNITS: Record<UsageMetric, ChartUnit> = {
  tokens: "count",
  spend: "cost",
  requests: "count",
  "first-token": "duration",
  errors: "count",
};
