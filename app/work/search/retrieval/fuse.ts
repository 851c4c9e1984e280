/**
 * Rank constant; lower than the paper's 60, since our lists are shorter. Cormack, Clarke, Büttcher,
 * Reciprocal rank fusion outperforms Condorcet and individual rank learning methods (2009).
 */
const SMOOTHING = 20;

export interface RankedList {
  ids: readonly number[];
  weight: number;
}

/**
 * Merges lists by rank, since their scores aren't comparable.
 * @returns ids, best first, with their share of the best possible score, 0 to 1
 */
export function fuse(lists: readonly RankedList[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  let best = 0;
  for (const { ids, weight } of lists) {
    if (ids.length === 0) continue;
    best += weight / (SMOOTHING + 1);
    for (const [index, id] of ids.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (SMOOTHING + index + 1));
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score: score / best }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}
