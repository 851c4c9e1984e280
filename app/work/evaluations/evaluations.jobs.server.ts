import { yieldToEventLoop } from "~/core/background.server";
import { transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { deleteRunRows } from "./evaluations.repo.server";
import { runEvaluation } from "./run-evaluation.server";
import { evaluationRun, followJob, runSweep } from "./run-states.server";

/** Rows per transaction: an answer may have 20,000 characters. */
const DELETED_AT_ONCE = 50;

export const evaluationJobs: readonly JobKind[] = [
  defineJob({
    ...evaluationRun,
    title: "Run an evaluation",
    concurrency: 1,
    timeoutMs: 12 * HOUR,
    run: runEvaluation,
    onChange: (tx, { input }, change) => followJob(tx, input.run, change),
  }),
  defineJob({
    ...runSweep,
    title: "Clear away the answers of deleted evaluations",
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
  }),
];
