import { reportStep } from "~/core/telemetry.server";
import type { RunStepRow } from "../runs.repo.server";

export function reportStepRow({
  runId,
  key,
  type,
  state,
  attempts,
  startedAt,
  finishedAt,
}: RunStepRow): void {
  if (finishedAt !== null)
    reportStep(() => ({ runId, key, type, state, attempts, durationMs: finishedAt - startedAt }));
}
