export function pageOf<T>(
  items: readonly T[],
  page: number,
  size: number,
): { items: T[]; of: { page: number; size: number; total: number } } {
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = Math.min(page, last);
  return {
    items: items.slice((shown - 1) * size, shown * size),
    of: { page: shown, size, total: items.length },
  };
}
