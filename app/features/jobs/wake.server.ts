// The dispatcher's own wake-up, reached through here by what it depends on itself.
const holder = globalThis as typeof globalThis & { quarterdeckJobsWake?: () => void };

/** Names what looks for jobs. @returns the way to take it back */
export function onWake(look: () => void): () => void {
  holder.quarterdeckJobsWake = look;
  return () => {
    if (holder.quarterdeckJobsWake === look) delete holder.quarterdeckJobsWake;
  };
}

/** Makes the dispatcher look for jobs once the running transaction is committed. */
export function wakeDispatcher(): void {
  holder.quarterdeckJobsWake?.();
}
