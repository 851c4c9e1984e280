import type { Db } from "~/core/db.server";
import {
  type DocumentRow,
  type ListPosition,
  listBehind,
  listUpTo,
  setOrderIndex,
} from "../documents.repo.server";
import { GAP } from "../documents-for-jobs.repo.server";

/** Neighbors to reposition on each side; doubled until there is room. */
const FEW = 4;

/**
 * Moves documents behind `after`, or to the start. Repositions as few neighbors as possible if there is no
 * gap.
 */
export function moveDocumentsAfter(tx: Db, ordered: readonly DocumentRow[], after?: DocumentRow): void {
  const [first] = ordered;
  if (!first) return;
  const { orgId, categoryId } = first;
  const moved = new Set(ordered.map(({ id }) => id));
  const others = ({ id }: ListPosition) => !moved.has(id);
  for (let few = 0; ; few = few === 0 ? FEW : 2 * few) {
    const limit = few + 1 + ordered.length;
    const above = after
      ? listUpTo(tx, orgId, categoryId, after, limit)
          .filter(others)
          .slice(0, few + 1)
      : [];
    const below = listBehind(tx, orgId, categoryId, after, limit)
      .filter(others)
      .slice(0, few + 1);
    const from = above[few]?.orderIndex ?? -1;
    const to = below[few]?.orderIndex;
    const all = [...above.slice(0, few).reverse(), ...ordered, ...below.slice(0, few)];
    const step = to === undefined ? GAP : Math.floor((to - from) / (all.length + 1));
    // Repositioned neighbors get room for later moves.
    if (step < (few === 0 ? 1 : 2)) continue;
    for (const [n, { id, orderIndex }] of all.entries()) {
      const position = from + step * (n + 1);
      if (position !== orderIndex) setOrderIndex(tx, id, position);
    }
    return;
  }
}
