import { onAbort } from "~/core/abort";
import { db } from "~/core/db.server";
import { onKnowledgeChanged } from "~/work/index/knowledge-changes.server";
import { JobInput } from "../jobs/job";
import { findJob, type JobRow } from "../jobs/jobs.repo.server";

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
export function waitForJobEnd(
  jobId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<EndedJob | undefined> {
  return new Promise((resolve) => {
    let release = () => {};
    const finish = (ended?: EndedJob) => {
      clearTimeout(timer);
      stopListening();
      release();
      resolve(ended);
    };
    const giveUp = () => finish();
    const check = () => {
      const job = findJob(db(), jobId);
      const ended = job
        ? toEnded(job)
        : { state: "cancelled" as const, error: null, code: undefined, wordsOnly: false };
      if (ended) finish(ended);
    };
    const stopListening = onKnowledgeChanged((change) => {
      if (change.jobId === jobId) check();
    });
    const timer = setTimeout(giveUp, waitMs);
    release = onAbort(signal, giveUp);
    if (!signal?.aborted) check();
  });
}
