import { z } from "zod";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { publish } from "~/platform/events/events.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { defineJob, type JobChange, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { deleteRunRow, deleteRunRows, findRun, sumResults, updateRun } from "./evaluations.repo.server";
import { runEvaluation } from "./run-evaluation.server";

/** Rows per transaction: an answer may have 20,000 characters. */
const DELETED_AT_ONCE = 50;

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

const runSweep = defineJob({
  kind: "evaluations.sweep",
  title: "Clear away the answers of deleted evaluations",
  input: z.object({ runs: z.array(z.string()) }),
  lane: "maintenance",
  timeoutMs: HOUR,
  mustFinish: true,
  freesSpace: () => true,
  async run({ input, signal }) {
    for (const run of input.runs)
      while (transaction((tx) => deleteRunRows(tx, run, DELETED_AT_ONCE)) > 0) {
        signal.throwIfAborted();
        await yieldToEventLoop();
      }
  },
});

export const evaluationJobs: readonly JobKind[] = [evaluationRun, runSweep];

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

export const isOpen = (state: string | undefined): boolean => state === "queued" || state === "running";

/** @returns what aborts its calls, after the commit; undefined if it has ended */
export function stopWithin(tx: Db, run: string): (() => void) | undefined {
  if (!isOpen(findRun(tx, run)?.state)) return undefined;
  const job = findActive(tx, evaluationRun, run);
  if (job) cancelJobWithin(tx, job.id);
  endRun(tx, run, "stopped", null);
  return () => job && abortJob(job.id);
}

/** Deletes runs; a job deletes their results. @returns what aborts those that go on, after the commit */
export function discardRuns(tx: Db, orgId: string, runs: readonly { id: string }[]): () => void {
  const ids = runs.map(({ id }) => id);
  const aborts = ids.map((id) => stopWithin(tx, id));
  for (const id of ids) deleteRunRow(tx, id);
  if (ids.length > 0) enqueue(tx, runSweep, { runs: ids }, { orgId });
  return () => {
    for (const abort of aborts) abort?.();
  };
}
