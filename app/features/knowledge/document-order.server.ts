import type { Db } from "~/core/db.server";
import { type DocumentRow, listPlaces, setPlace } from "./documents.repo.server";

/**
 * Puts documents of a category behind `after`, or first, in the order given. Those from the first place touched to the
 * last one share their places anew; the others, thousands perhaps, are neither read nor written.
 */
export function placeDocuments(tx: Db, ordered: readonly DocumentRow[], after?: DocumentRow): void {
  const [first] = ordered;
  if (!first) return;
  const { orgId, categoryId } = first;
  const touched = [...ordered, ...(after ? [after] : [])].map(({ orderIndex }) => orderIndex);
  const near = listPlaces(tx, orgId, categoryId, {
    from: after && Math.min(...touched),
    to: Math.max(...touched),
  });
  // Equal places can't be shared out; then the whole category is counted through, once.
  const distinct = near.every(({ orderIndex }, n) => n === 0 || orderIndex !== near[n - 1]?.orderIndex);
  const places = distinct ? near : listPlaces(tx, orgId, categoryId);
  const moved = new Set(ordered.map(({ id }) => id));
  const rest = places.filter(({ id }) => !moved.has(id));
  const at = after ? rest.findIndex(({ id }) => id === after.id) + 1 : 0;
  const before = new Map(places.map(({ id, orderIndex }) => [id, orderIndex]));
  for (const [n, { id }] of [...rest.slice(0, at), ...ordered, ...rest.slice(at)].entries()) {
    const orderIndex = distinct ? (places[n]?.orderIndex ?? n) : n;
    if (before.get(id) !== orderIndex) setPlace(tx, id, orderIndex);
  }
}
