import type { ToolProgress } from "~/ai/tools/progress.schema";

/** Progress of running tool calls, in memory. */
const reported = new Map<string, ToolProgress>();

const keyOf = (runId: string, stepKey: string) => `${runId} ${stepKey}`;

/** Undefined clears it. */
export function setStepProgress(runId: string, stepKey: string, progress: ToolProgress | undefined): void {
  if (progress) reported.set(keyOf(runId, stepKey), progress);
  else reported.delete(keyOf(runId, stepKey));
}

export const stepProgress = (runId: string, stepKey: string): ToolProgress | undefined =>
  reported.get(keyOf(runId, stepKey));
