import { HOUR } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { sweepType } from "../jobs/job-types.server";
import { hasDueRemovals, planRemovals } from "../jobs/plan.server";
import { deleteExpiredJobs, queuePurges } from "./schedule.server";

export const sweepDocumentsJob = defineJob({
  ...sweepType,
  title: "Remove deleted documents",
  concurrency: 1,
  timeoutMs: HOUR,
  keepMs: HOUR,
  // A fallback: each purge is queued individually.
  freesSpace: hasDueRemovals,
  schedule: { everyMs: HOUR, atStart: true, input: {} },
  async run({ signal }) {
    while (!signal.aborted && queuePurges() > 0) await new Promise(setImmediate);
    while (!signal.aborted && deleteExpiredJobs() > 0) await new Promise(setImmediate);
  },
  onChange(tx, _job, { state }) {
    if (state === "succeeded") planRemovals(tx);
  },
});
