import type { ToolProgress } from "~/features/tools/progress.schema";

/** Of running tool calls, in memory: a restart calls the tool again. */
const reported = new Map<string, ToolProgress>();

const keyOf = (runId: string, stepKey: string) => `${runId} ${stepKey}`;

/** Keeps how far a step's tool call is; undefined once the call has ended. */
export function setStepProgress(runId: string, stepKey: string, progress: ToolProgress | undefined): void {
  if (progress) reported.set(keyOf(runId, stepKey), progress);
  else reported.delete(keyOf(runId, stepKey));
}

export const stepProgress = (runId: string, stepKey: string): ToolProgress | undefined =>
  reported.get(keyOf(runId, stepKey));
