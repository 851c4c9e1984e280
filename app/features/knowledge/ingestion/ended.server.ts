import { db } from "~/core/db.server";
import { onKnowledgeChanged } from "../documents/changes.server";
import { JobInput } from "../documents/jobs/job";
import { findJob, type JobRow } from "../documents/jobs/jobs.repo.server";

export interface EndedJob {
  state: "done" | "failed" | "cancelled";
  error: string | null;
  code: string | undefined;
  wordsOnly: boolean;
}

function toEnded(job: JobRow): EndedJob | undefined {
  const { state, error } = job;
  if (state === "queued" || state === "running") return undefined;
  const { code, wordsOnly = false } = JobInput.parse(job.input);
  return { state, error, code, wordsOnly };
}

/** Waits for a job's end. @returns undefined on timeout or abort */
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
