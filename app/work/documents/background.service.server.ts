import { log } from "~/core/log.server";
import { onBeforeSwitch } from "~/work/index/generations/before-switch.server";
import { watchIndexes } from "~/work/index/index.jobs.server";
import { followGroups } from "~/work/index/knowledge-changes.server";
import { checkIndexes } from "~/work/search/evaluation/retrieval-check.service.server";
import { followDocumentJobs } from "./documents.jobs.server";
import { sweepBrokenUploads } from "./ingestion/schedule.server";

/** Prepares documents and indexes; call it before the jobs start. @returns a stop function */
export function startKnowledge(): () => void {
  const broken = sweepBrokenUploads();
  if (broken > 0) log.warn("uploads were interrupted by the last shutdown", { count: broken });
  const stopFollowing = followDocumentJobs();
  const stopGroups = followGroups();
  const stopComparing = onBeforeSwitch(checkIndexes);
  const stopWatching = watchIndexes();
  return () => {
    stopFollowing();
    stopGroups();
    stopWatching();
    stopComparing();
  };
}
