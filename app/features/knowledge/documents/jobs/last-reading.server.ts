import type { Db } from "~/core/db.server";
import type { Reading } from "../document-view.schema";
import { JobInput } from "./job";
import { type JobRow, lastReadingJob } from "./jobs.repo.server";

function outcomeOf({ state, input }: JobRow): Reading["outcome"] {
  if (state === "failed" || state === "cancelled") return state;
  const { outcome } = JobInput.parse(input);
  return outcome === "added" || outcome === "changed" ? outcome : "unchanged";
}

export function lastReading(tx: Db, documentId: string): Reading | null {
  const job = lastReadingJob(tx, documentId);
  if (!job?.finishedAt) return null;
  const outcome = outcomeOf(job);
  return {
    at: new Date(job.finishedAt).toISOString(),
    outcome,
    error: outcome === "failed" ? job.error : null,
  };
}
