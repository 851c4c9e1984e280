import { db } from "~/core/db.server";
import { onKnowledgeChanged } from "../documents/changes.server";
import { JobInput } from "../documents/jobs/job";
import { findJob, type JobRow } from "../documents/jobs/jobs.repo.server";

/** How a job ended. */
export interface EndedJob {
  state: "done" | "failed" | "cancelled";
  error: string | null;
  /** Of the error that it failed with. */
  code: string | undefined;
  /** Its document is found by its words only for now. */
  wordsOnly: boolean;
}

function toEnded(job: JobRow): EndedJob | undefined {
  const { state, error } = job;
  if (state === "queued" || state === "running") return undefined;
  const { code, wordsOnly = false } = JobInput.parse(job.input);
  return { state, error, code, wordsOnly };
}

/** Waits for a job's end. @returns undefined when it hasn't ended by then, or the caller has left */
export function whenEnded(
  jobId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<EndedJob | undefined> {
  return new Promise((resolve) => {
    const settle = (ended?: EndedJob) => {
      clearTimeout(timer);
      leave();
      signal?.removeEventListener("abort", give);
      resolve(ended);
    };
    const give = () => settle();
    const look = () => {
      const job = findJob(db(), jobId);
      const ended = job
        ? toEnded(job)
        : { state: "cancelled" as const, error: null, code: undefined, wordsOnly: false };
      if (ended) settle(ended);
    };
    const leave = onKnowledgeChanged((change) => {
      if (change.jobId === jobId) look();
    });
    const timer = setTimeout(give, waitMs);
    signal?.addEventListener("abort", give, { once: true });
    if (signal?.aborted) give();
    else look();
  });
}
