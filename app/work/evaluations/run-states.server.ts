import { z } from "zod";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { declareJob, type JobChange } from "~/platform/jobs/job-kind.service.server";
import { deleteRunRow, findRun, sumResults, updateRun } from "./evaluations.repo.server";
import type { Figures } from "./evaluations.schema";

export const evaluationRun = declareJob({
  kind: "evaluations.run",
  input: z.object({ run: z.string() }),
  lane: "bulk",
});

export const runSweep = declareJob({
  kind: "evaluations.sweep",
  input: z.object({ runs: z.array(z.string()) }),
  lane: "maintenance",
});

/** Figures of each subject up to now. */
export function figuresOf(tx: Db, runId: string, subjects: number): Figures[] {
  const sums = new Map(sumResults(tx, runId).map((one) => [one.subject, one]));
  return Array.from({ length: subjects }, (_, subject) => {
    const sum = sums.get(subject);
    if (!sum) return { passed: 0, failed: 0, errors: 0, costMicros: 0, meanMs: null };
    const { passed, failed, errors, answers, durationMs, costMicros, unpriced } = sum;
    return {
      passed,
      failed,
      errors,
      costMicros: unpriced > 0 ? null : costMicros,
      meanMs: answers > 0 ? Math.round(durationMs / answers) : null,
    };
  });
}

function endRun(tx: Db, id: string, state: "done" | "stopped" | "failed", error: string | null): void {
  const run = findRun(tx, id);
  if (!run) return;
  const figures = figuresOf(tx, id, run.subjects.length);
  updateRun(tx, id, { state, error, figures: [...figures], endedAt: now() });
}

/** Keeps a run's state as its job's. */
export function followJob(tx: Db, run: string, change: JobChange): void {
  if (change.state === "running") {
    if (!change.progress) updateRun(tx, run, { state: "running", error: null });
  } else if (change.state === "queued")
    updateRun(tx, run, { state: "queued", error: null, figures: null, endedAt: null });
  else if (change.state === "failed") endRun(tx, run, "failed", change.error);
  else endRun(tx, run, change.state === "succeeded" ? "done" : "stopped", null);
}

/** @returns what aborts its call, after the commit; undefined if it has ended */
export function stopWithin(tx: Db, run: string): (() => void) | undefined {
  const state = findRun(tx, run)?.state;
  if (state !== "queued" && state !== "running") return undefined;
  const job = findActive(tx, evaluationRun, run);
  if (job) cancelJobWithin(tx, job.id);
  endRun(tx, run, "stopped", null);
  return () => job && abortJob(job.id);
}

/** Deletes runs; a job deletes their results. @returns what aborts those that go on, after the commit */
export function discardRuns(tx: Db, orgId: string, runs: readonly string[]): () => void {
  const aborts = runs.map((run) => stopWithin(tx, run));
  for (const run of runs) deleteRunRow(tx, run);
  if (runs.length > 0) enqueue(tx, runSweep, { runs: [...runs] }, { orgId });
  return () => {
    for (const abort of aborts) abort?.();
  };
}
