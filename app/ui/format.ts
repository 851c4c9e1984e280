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

const whole = new Intl.NumberFormat("en-US");

export function formatCount(value: number): string {
  return whole.format(value);
}

/** A number with its noun, in the plural where it needs one. */
export function countOf(value: number, noun: string): string {
  return `${whole.format(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A size in bytes as people say it. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
