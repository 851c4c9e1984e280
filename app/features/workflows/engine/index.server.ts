import { LocalEngine } from "./local-engine.server";

// Runs continue while development evaluates modules again.
const holder = globalThis as typeof globalThis & { quarterdeckRuns?: LocalEngine };

/** The engine that runs workflows. */
export function engine(): LocalEngine {
  holder.quarterdeckRuns ??= new LocalEngine();
  return holder.quarterdeckRuns;
}

/** Forgets the engine after it was stopped, so that the next start has a new one. */
export function dropEngine(): void {
  delete holder.quarterdeckRuns;
}
