/** One page of a list. A page number beyond the end gives the last page. @param page from 1 */
export function pageOf<T>(
  items: readonly T[],
  page: number,
  size: number,
): { items: T[]; pageInfo: { page: number; size: number; total: number } } {
  const last = Math.max(1, Math.ceil(items.length / size));
  const current = Math.min(page, last);
  return {
    items: items.slice((current - 1) * size, current * size),
    pageInfo: { page: current, size, total: items.length },
  };
}
