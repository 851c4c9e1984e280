import { LocalEngine } from "./local-engine.server";

// Runs survive module re-evaluation in development.
const holder = globalThis as typeof globalThis & { quarterdeckRuns?: LocalEngine };

export function engine(): LocalEngine {
  holder.quarterdeckRuns ??= new LocalEngine();
  return holder.quarterdeckRuns;
}

export function dropEngine(): void {
  delete holder.quarterdeckRuns;
}
