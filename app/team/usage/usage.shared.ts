import type { ChartUnit } from "~/ui/chart.shared";
import type { UsageQuery } from "./usage.schema";

export const RANGES = ["24h", "yesterday", "7d", "14d", "30d", "90d", "custom"] as const;
export type UsageRange = (typeof RANGES)[number];

export const METRICS = ["tokens", "spend", "requests", "first-token", "errors"] as const;
export type UsageMetric = (typeof METRICS)[number];

export const DIMENSIONS = ["model", "provider", "person", "persona", "workflow", "token", "tool"] as const;
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

const DEFAULTS: Partial<UsageQuery> = { range: "30d", metric: "tokens", by: "model" };

export function usageAddress(query: Partial<UsageQuery>, path = "/usage"): string {
  const search = new URLSearchParams();
  // An empty id means "no group".
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== DEFAULTS[name as keyof UsageQuery]) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

/** A group's usage alone: people by model, others by person. */
export function groupAddress(query: UsageQuery, key: string): string {
  const { by } = query;
  const next = by === "person" ? "model" : by === "tool" ? "tool" : "person";
  return usageAddress({ ...query, [by]: key, by: next });
}

/** A day by its hours. */
export const dayAddress = (query: Partial<UsageQuery>, day: string): string =>
  usageAddress({ ...query, range: "custom", from: day, to: day });
