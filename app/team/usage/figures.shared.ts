import type { UsageFigures, UsageReport } from "./usage.schema";
import type { UsageMetric } from "./usage.shared";

/** Stored sums: total time to first token, and number of calls with one. */
export type UsageSums = Omit<UsageFigures, "firstTokenMs"> & { firstTokenMs: number; firstTokens: number };

/** With sums per bucket of the largest groups and the rest. */
export interface DetailedUsage extends UsageReport {
  shown: string[];
  /** Their colors, which they keep wherever they are drawn. */
  colors: number[];
  /** By point: each shown group, then the rest. */
  parts: UsageSums[][];
}

export const NO_SUMS: UsageSums = {
  requests: 0,
  errors: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  unpriced: 0,
  estimated: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  searchUnits: 0,
  images: 0,
  audioSeconds: 0,
  characters: 0,
  firstTokenMs: 0,
  firstTokens: 0,
};

export function addFigures(all: readonly UsageSums[]): UsageSums {
  const total = { ...NO_SUMS };
  for (const sums of all)
    for (const name of Object.keys(total) as (keyof UsageSums)[]) total[name] += sums[name];
  return total;
}

export function figuresOf({ firstTokens, firstTokenMs, ...sums }: UsageSums): UsageFigures {
  return { ...sums, firstTokenMs: firstTokens > 0 ? Math.round(firstTokenMs / firstTokens) : null };
}

/** Tokens, millionths of a dollar, calls or ms; null if unknown. */
export function metricOf(figures: UsageFigures, metric: UsageMetric): number | null {
  if (metric === "tokens") return figures.inputTokens + figures.outputTokens;
  if (metric === "spend") return figures.costMicros;
  if (metric === "first-token") return figures.firstTokenMs;
  return figures[metric];
}

/** As `metricOf`, null if no call has a price. */
export function knownMetricOf(figures: UsageFigures, metric: UsageMetric): number | null {
  const isUnknown = metric === "spend" && figures.requests > 0 && figures.unpriced === figures.requests;
  return isUnknown ? null : metricOf(figures, metric);
}
