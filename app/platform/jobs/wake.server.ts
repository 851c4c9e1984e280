// Avoids an import cycle with the dispatcher.
const holder = globalThis as typeof globalThis & { quarterdeckJobsWake?: () => void };

/** Registers the dispatcher. @returns a function to unregister */
export function onWake(dispatch: () => void): () => void {
  holder.quarterdeckJobsWake = dispatch;
  return () => {
    if (holder.quarterdeckJobsWake === dispatch) delete holder.quarterdeckJobsWake;
  };
}

/** Wakes the dispatcher after the current transaction. */
export function wakeDispatcher(): void {
  holder.quarterdeckJobsWake?.();
}
