export const ms = (value: number) => `${value.toFixed(1)} ms`;

/** The value below which the share `q` (0 to 1) of the values lies; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);
