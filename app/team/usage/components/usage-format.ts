import { formatCost, formatCount, formatDuration } from "~/ui/format";
import type { UsageQuery } from "../usage.schema";
import type { UsageDimension, UsageMetric, UsageRange } from "../usage.shared";

export const METRIC_LABELS: Record<UsageMetric, string> = {
  tokens: "Tokens",
  spend: "Spend",
  requests: "Requests",
  "first-token": "Time to First Token",
  errors: "Errors",
};

export const DIMENSION_LABELS: Record<UsageDimension, string> = {
  model: "Model",
  provider: "Provider",
  person: "Person",
  persona: "Persona",
  workflow: "Workflow",
  token: "API token",
  tool: "Tool",
};

export const RANGE_LABELS: Record<UsageRange, string> = {
  "24h": "Last 24 hours",
  yesterday: "Yesterday",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  custom: "Custom range",
};

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A dash if unknown. */
export function formatMetric(metric: UsageMetric, value: number | null): string {
  if (value === null) return "—";
  if (metric === "spend") return formatCost(value);
  return metric === "first-token" ? formatDuration(value) : formatCount(value);
}

/** Such as 13.6M. */
export const formatLarge = (value: number) => compact.format(value);

export function formatTick(metric: UsageMetric, value: number): string {
  if (metric === "spend")
    return value < 10_000_000 ? formatCost(value) : `$${compact.format(value / 1_000_000)}`;
  return metric === "first-token" ? formatDuration(value) : compact.format(value);
}

const DEFAULTS: Partial<UsageQuery> = { range: "30d", metric: "tokens", by: "model" };

export function usageAddress(query: Partial<UsageQuery>, path = "/usage"): string {
  const search = new URLSearchParams();
  // An empty id means "no group".
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== DEFAULTS[name as keyof UsageQuery]) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}
