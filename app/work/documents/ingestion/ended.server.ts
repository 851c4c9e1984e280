import { db } from "~/core/db.server";
import { onKnowledgeChanged } from "~/work/index/knowledge-changes.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { type LastJob, lastJobOf } from "../jobs/job";
import { listActiveJobs } from "../jobs/jobs.repo.server";

export type EndedJob = Pick<LastJob, "state" | "error" | "code" | "wordsOnly">;

function findEnd(documentId: string, jobId: string): EndedJob | undefined {
  const document = findDocumentForJob(db(), documentId);
  const last = document && lastJobOf(document);
  if (last?.id === jobId) return last;
  const isActive = listActiveJobs(db(), documentId).some(({ id }) => id === jobId);
  return document && isActive ? undefined : { state: "cancelled" };
}

/** Waits for the end of a document's job. @returns undefined on timeout or abort */
export function waitForJobEnd(
  documentId: string,
  jobId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<EndedJob | undefined> {
  return new Promise((resolve) => {
    const finish = (ended?: EndedJob) => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", giveUp);
      resolve(ended);
    };
    const giveUp = () => finish();
    const check = () => {
      const ended = findEnd(documentId, jobId);
      if (ended) finish(ended);
    };
    const stopListening = onKnowledgeChanged((change) => {
      if (change.jobId === jobId) check();
    });
    const timer = setTimeout(giveUp, waitMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    else check();
  });
}
