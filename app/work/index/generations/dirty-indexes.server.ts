import { EventEmitter, once } from "node:events";
import { kept } from "~/core/process.server";

/** Dirty indexes. In memory, since every start checks all of them. */
const dirtyIndexes = new Set<number>();

const emitter = () => kept("wake of indexes", () => new EventEmitter().setMaxListeners(0));

/** Schedules maintenance of the indexes, with an optional delay (ms). */
export function wakeIndexes(delayMs = 0): void {
  emitter().emit("wake", delayMs);
}

export function onWakeIndexes(listener: (delayMs: number) => void): () => void {
  emitter().on("wake", listener);
  return () => void emitter().off("wake", listener);
}

export async function nextWake(signal: AbortSignal): Promise<void> {
  await once(emitter(), "wake", { signal }).catch(() => undefined);
}

export function markDirty(indexId: number): void {
  dirtyIndexes.add(indexId);
  wakeIndexes();
}

/** Clears the mark. @returns whether it was set */
export const clearDirty = (indexId: number): boolean => dirtyIndexes.delete(indexId);

export const isDirty = (indexId: number): boolean => dirtyIndexes.has(indexId);

export const hasDirty = (): boolean => dirtyIndexes.size > 0;

export function clearAllDirty(): void {
  dirtyIndexes.clear();
}
