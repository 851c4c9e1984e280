/** A cost in millionths of a dollar, with as many decimals as it takes to show anything. */
export function formatCost(micros: number): string {
  const dollars = micros / 1_000_000;
  const digits = dollars === 0 || dollars >= 0.01 ? 2 : dollars >= 0.0001 ? 4 : 6;
  return `$${dollars.toFixed(digits)}`;
}

/** A duration in milliseconds as a person reads it. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A token count; thousands as N.NK. */
export function formatTokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}K`;
}
