/** In millionths of a dollar; enough decimals for a nonzero digit. */
export function formatCost(micros: number): string {
  const dollars = micros / 1_000_000;
  const digits = dollars === 0 || dollars >= 0.01 ? 2 : dollars >= 0.0001 ? 4 : 6;
  return `$${dollars.toFixed(digits)}`;
}

/** Total spend in dollars, with two decimals (console.md, section 9). */
export function formatSpend(dollars: number): string {
  return `$${dollars.toFixed(2)}`;
}

/** Such as 340 ms, 12.4 s, 3 min 5 s or 1 h 12 min. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const SPANS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
  [1, "millisecond"],
] as const;

export function formatSpan(ms: number): string {
  const at = SPANS.findIndex(([size]) => ms >= size);
  if (at < 0) return "0 seconds";
  const parts = SPANS.slice(at, at + 2).map(([size, unit], index) => {
    const above = SPANS[at + index - 1]?.[0] ?? Number.POSITIVE_INFINITY;
    return { count: Math.floor((index === 0 ? ms : ms % above) / size), unit };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => countOf(count, unit))
    .join(" ");
}

export function formatTokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}K`;
}

const whole = new Intl.NumberFormat("en-US");

export function formatCount(value: number): string {
  return whole.format(value);
}

export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole.format(value)} ${value === 1 ? noun : plural}`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** A message's first sentence as a heading, without its full stop, and the rest. */
export function splitMessage(message: string): { title: string; rest: string } {
  const [title = "", ...others] = message.split(/(?<=\.) /);
  return { title: title.replace(/\.$/, ""), rest: others.join(" ") };
}
