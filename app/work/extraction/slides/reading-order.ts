/** A rectangle on a slide, in any unit. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** More shapes than this keep their order: comparing them in pairs would take too long. */
const MAX_SHAPES = 300;

/** Whether two spans share more than half of the shorter one. */
function share(start: number, length: number, otherStart: number, otherLength: number): boolean {
  const shared = Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart);
  return shared > Math.min(length, otherLength) / 2;
}

/** Whether every reader reads one place before the other: it is above it in a column, or before it in a row. */
function isBefore(one: Place, other: Place, rightToLeft: boolean): boolean {
  if (one.y + one.height <= other.y) return share(one.x, one.width, other.x, other.width);
  if (!share(one.y, one.height, other.y, other.height)) return false;
  return rightToLeft ? one.x >= other.x + other.width : one.x + one.width <= other.x;
}

/**
 * Puts what lies on a slide in reading order. A file's order is that in which things were drawn: it is kept unless it
 * contradicts the places.
 */
export function inReadingOrder<Item extends { place?: Place | undefined }>(
  items: readonly Item[],
  rightToLeft = false,
): Item[] {
  if (items.length > MAX_SHAPES) return [...items];
  const waiting = [...items];
  const ordered: Item[] = [];
  const isFirst = (item: Item) =>
    !waiting.some(
      (other) =>
        other !== item && other.place && item.place && isBefore(other.place, item.place, rightToLeft),
    );
  while (waiting.length > 0) {
    const at = Math.max(0, waiting.findIndex(isFirst));
    ordered.push(...waiting.splice(at, 1));
  }
  return ordered;
}
