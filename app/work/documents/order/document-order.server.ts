import type { Db } from "~/core/db.server";
import {
  type DocumentRow,
  type ListPosition,
  listAfter,
  listUpTo,
  setOrderIndex,
} from "../documents.repo.server";
import { POSITION_GAP } from "../documents-for-jobs.repo.server";

/** Neighbors to reposition on each side at first; doubled until there is room. */
const MIN_NEIGHBOURS = 4;

/**
 * Moves documents after `after`, or to the start. Without a gap it repositions as few neighbors as possible.
 */
export function moveDocumentsAfter(tx: Db, ordered: readonly DocumentRow[], after?: DocumentRow): void {
  const [first] = ordered;
  if (!first) return;
  const { orgId, categoryId } = first;
  const moved = new Set(ordered.map(({ id }) => id));
  const others = ({ id }: ListPosition) => !moved.has(id);
  for (let neighbours = 0; ; neighbours = neighbours === 0 ? MIN_NEIGHBOURS : 2 * neighbours) {
    const limit = neighbours + 1 + ordered.length;
    const above = after
      ? listUpTo(tx, orgId, categoryId, after, limit)
          .filter(others)
          .slice(0, neighbours + 1)
      : [];
    const below = listAfter(tx, orgId, categoryId, after, limit)
      .filter(others)
      .slice(0, neighbours + 1);
    const from = above[neighbours]?.orderIndex ?? -1;
    const to = below[neighbours]?.orderIndex;
    const all = [...above.slice(0, neighbours).reverse(), ...ordered, ...below.slice(0, neighbours)];
    const step = to === undefined ? POSITION_GAP : Math.floor((to - from) / (all.length + 1));
    // Repositioned neighbors get room for later moves.
    if (step < (neighbours === 0 ? 1 : 2)) continue;
    for (const [n, { id, orderIndex }] of all.entries()) {
      const position = from + step * (n + 1);
      if (position !== orderIndex) setOrderIndex(tx, id, position);
    }
    return;
  }
}
