import { reportStep } from "~/core/telemetry.server";
import type { RunStepRow } from "../runs.repo.server";

/** A step that has ended, for traces; one that a crash repeats is reported again. */
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
