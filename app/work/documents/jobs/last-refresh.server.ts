import type { Db } from "~/core/db.server";
import type { LastRefresh } from "../document-view.schema";
import { JobInput } from "./job";
import { findLastRefreshJob, type JobRow } from "./jobs.repo.server";

function outcomeOf({ state, input }: JobRow): LastRefresh["outcome"] {
  if (state === "failed" || state === "cancelled") return state;
  const { outcome } = JobInput.parse(input);
  return outcome === "added" || outcome === "changed" ? outcome : "unchanged";
}

export function lastRefresh(tx: Db, documentId: string): LastRefresh | null {
  const job = findLastRefreshJob(tx, documentId);
  if (!job?.finishedAt) return null;
  const outcome = outcomeOf(job);
  return {
    at: new Date(job.finishedAt).toISOString(),
    outcome,
    error: outcome === "failed" ? job.error : null,
  };
}
