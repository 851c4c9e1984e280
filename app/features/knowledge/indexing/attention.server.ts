/** Indexes that lack something that a builder has to add: kept in memory, since every start looks at all of them. */
const lacking = new Set<number>();
let onNews: (() => void) | undefined;

/** Notes that an index lacks something, and wakes the builder. */
export function needsAttention(indexId: number): void {
  lacking.add(indexId);
  onNews?.();
}

/** Whether an index was noted; it isn't any more. */
export const takeAttention = (indexId: number): boolean => lacking.delete(indexId);

export const hasAttention = (indexId: number): boolean => lacking.has(indexId);

/** Wakes the builder before its time. */
export function wakeBuilder(): void {
  onNews?.();
}

export function onAttention(listener: (() => void) | undefined): void {
  onNews = listener;
}

export function forgetAttention(): void {
  lacking.clear();
}
