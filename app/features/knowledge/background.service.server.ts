import { log } from "~/core/log.server";
import { sweepBrokenUploads } from "./ingestion/schedule.server";
import { followDocumentJobs } from "./ingestion-jobs.service.server";
import { stopChecks } from "./retrieval-check.service.server";

/** Prepares documents for their jobs; call it before the jobs start. @returns the way to stop */
export function startKnowledge(): () => Promise<void> {
  const broken = sweepBrokenUploads();
  if (broken > 0) log.warn("uploads were broken off by the last stop", { count: broken });
  const stopFollowing = followDocumentJobs();
  return async () => {
    stopFollowing();
    await stopChecks();
  };
}
