import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { publish } from "~/platform/events/events.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, findActive } from "~/platform/jobs/enqueue.service.server";
import { defineJob, type JobChange, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { deleteRunRows, findRun, type RunRow, sumResults, updateRun } from "./evaluations.repo.server";
import { runEvaluation } from "./run-evaluation.server";

export const evaluationRun = defineJob({
  kind: "evaluations.run",
  title: "Run an evaluation",
  input: z.object({ run: z.string() }),
  lane: "bulk",
  concurrency: 1,
  timeoutMs: 12 * HOUR,
  run: runEvaluation,
  onChange(tx, { input, orgId }, change) {
    followJob(tx, input.run, change);
    // After the commit, as pages then read the state.
    if (!("progress" in change)) setImmediate(() => publish({ topic: "evaluations", orgId }));
  },
});

export const evaluationJobs: readonly JobKind[] = [evaluationRun];

function endRun(tx: Db, id: string, state: "done" | "stopped" | "failed", error: string | null): void {
  const run = findRun(tx, id);
  if (run) updateRun(tx, id, { state, error, figures: sumResults(tx, run), endedAt: now() });
}

/** Keeps a run's state as its job's. */
function followJob(tx: Db, run: string, change: JobChange): void {
  if (change.state === "running") {
    if (!change.progress) updateRun(tx, run, { state: "running", error: null });
  } else if (change.state === "queued")
    updateRun(tx, run, { state: "queued", error: null, figures: null, endedAt: null });
  else if (change.state === "failed") endRun(tx, run, "failed", change.error);
  else endRun(tx, run, change.state === "succeeded" ? "done" : "stopped", null);
}

/** @returns what aborts its calls, after the commit; undefined if it has ended */
export function stopWithin(tx: Db, run: string): (() => void) | undefined {
  if (findRun(tx, run)?.endedAt !== null) return undefined;
  const job = findActive(tx, evaluationRun, run);
  if (job) cancelJobWithin(tx, job.id);
  endRun(tx, run, "stopped", null);
  return () => job && abortJob(job.id);
}

/** Deletes runs with their results. @returns what aborts those that go on, after the commit */
export function discardRuns(tx: Db, runs: readonly Pick<RunRow, "id">[]): () => void {
  const aborts = runs.map(({ id }) => stopWithin(tx, id));
  for (const { id } of runs) deleteRunRows(tx, id);
  return () => {
    for (const abort of aborts) abort?.();
  };
}
