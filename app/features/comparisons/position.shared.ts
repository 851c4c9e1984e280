/** Position of a reader of a comparison's stream: the last event of every column it has seen. */
export const positionOf = (lastEventIds: readonly number[]): string => lastEventIds.join(".");

/** What isn't a position is the beginning. */
export function parsePosition(position: string): number[] {
  return position.split(".").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : 0));
}
