/** Inclusive in either direction; empty if one is missing. */
export function shiftRange<T>(items: readonly T[], from: T, to: T): readonly T[] {
  const [a, b] = [items.indexOf(from), items.indexOf(to)];
  return a < 0 || b < 0 ? [] : items.slice(Math.min(a, b), Math.max(a, b) + 1);
}
