import { formatValue } from "~/ui/chart";
import { METRIC_UNITS, type UsageDimension, type UsageMetric, type UsageRange } from "../usage.shared";

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
  source: "Source",
  tool: "Tool",
};

export const RANGE_LABELS: Record<UsageRange, string> = {
  "24h": "Last 24 hours",
  yesterday: "Yesterday",
  "7d": "Last 7 days",
  "14d": "Last 14 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  custom: "Custom range",
};

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A dash if unknown. */
export const formatMetric = (metric: UsageMetric, value: number | null) =>
  formatValue(METRIC_UNITS[metric], value);

/** Such as 13.6M. */
export const formatLarge = (value: number) => compact.format(value);
