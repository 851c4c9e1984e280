import { log } from "~/core/log.server";
import { failJob } from "./ingestion/failure.server";
import { startQueue } from "./ingestion/queue.server";
import { runJob } from "./ingestion/run-job.server";
import { sweepBrokenUploads } from "./ingestion/schedule.server";
import { ingestSteps } from "./ingestion/steps.server";
import { stopChecks } from "./retrieval-check.service.server";

/** Goes on with the documents that were taken on. @returns the way to stop */
export function startKnowledge(): () => Promise<void> {
  const broken = sweepBrokenUploads();
  if (broken > 0) log.warn("uploads were broken off by the last stop", { count: broken });
  const stopQueue = startQueue({ run: (job, context) => runJob(job, ingestSteps, context), fail: failJob });
  return async () => {
    await Promise.all([stopQueue(), stopChecks()]);
  };
}
