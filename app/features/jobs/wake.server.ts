// Avoids an import cycle with the dispatcher.
const holder = globalThis as typeof globalThis & { quarterdeckJobsWake?: () => void };

/** Registers the dispatcher. @returns a function to unregister */
export function onWake(look: () => void): () => void {
  holder.quarterdeckJobsWake = look;
  return () => {
    if (holder.quarterdeckJobsWake === look) delete holder.quarterdeckJobsWake;
  };
}

/** Wakes the dispatcher after the current transaction. */
export function wakeDispatcher(): void {
  holder.quarterdeckJobsWake?.();
}
