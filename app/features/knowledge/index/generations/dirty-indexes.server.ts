import { EventEmitter, once } from "node:events";

/** Indexes that lack something which maintenance has to add. In memory: every start checks all of them. */
const lacking = new Set<number>();

// Jobs outlive a module's evaluation in development.
const holder = globalThis as typeof globalThis & { quarterdeckIndexWake?: EventEmitter };

function emitter(): EventEmitter {
  holder.quarterdeckIndexWake ??= new EventEmitter().setMaxListeners(0);
  return holder.quarterdeckIndexWake;
}

/** Has the indexes looked at: at once, or in some time (ms). */
export function wakeIndexes(delayMs = 0): void {
  emitter().emit("wake", delayMs);
}

/** @returns the way to stop listening */
export function onWakeIndexes(listener: (delayMs: number) => void): () => void {
  emitter().on("wake", listener);
  return () => void emitter().off("wake", listener);
}

/** Resolves at the next wake, or when the signal fires. */
export async function nextWake(signal: AbortSignal): Promise<void> {
  await once(emitter(), "wake", { signal }).catch(() => undefined);
}

/** Notes that an index lacks something. */
export function markDirty(indexId: number): void {
  lacking.add(indexId);
  wakeIndexes();
}

/** Whether an index was noted; it isn't any more. */
export const clearDirty = (indexId: number): boolean => lacking.delete(indexId);

export const isDirty = (indexId: number): boolean => lacking.has(indexId);

export const hasDirty = (): boolean => lacking.size > 0;

export function forgetDirty(): void {
  lacking.clear();
}
