import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { cancelJobWithin } from "~/features/jobs/cancel-job.service.server";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { setAside } from "../versions/mark-failed.server";
import { addJob } from "./add-job.server";
import { JobInput } from "./job";
import { type JobRow, updateJob } from "./jobs.repo.server";

const CANCELLED = "It was canceled.";

/**
 * Cancels a job that waits or runs; call `abortJob` after the commit. A document that was searched before continues as
 * it was, another one is marked as failed and can be retried.
 * @param options.deleted because its document is deleted, so that Undo continues with it
 * @returns whether there was anything to cancel
 */
export function cancelJob(tx: Db, job: JobRow, options: { deleted?: boolean } = {}): boolean {
  if (!cancelRecord(tx, job, options)) return false;
  cancelJobWithin(tx, job.id);
  return true;
}

/** What becomes of a document whose job is cancelled. @returns whether the job waited or ran */
export function cancelRecord(tx: Db, job: JobRow, { deleted = false } = {}): boolean {
  if (job.state !== "queued" && job.state !== "running") return false;
  const input = { ...JobInput.parse(job.input), ...(deleted ? { deleted } : {}) };
  const change = { state: "cancelled" as const, error: CANCELLED, input, finishedAt: now() };
  if (!updateJob(tx, job.id, job.state, change)) return false;
  const document = job.documentId ? findDocumentForJob(tx, job.documentId) : undefined;
  if (!document || job.kind === "purge") return true;
  if (job.versionId) setAside(tx, job.versionId, CANCELLED);
  const served = document.versionId !== null;
  const status = served ? ("ready" as const) : ("failed" as const);
  updateDocumentForJob(tx, document.id, { status, error: served ? null : CANCELLED, updatedAt: now() });
  // Its chunks; of one that is being deleted Undo may continue with them.
  if (served && job.versionId && !deleted) {
    addJob(
      tx,
      { orgId: job.orgId, ...input.by, userId: job.userId },
      { kind: "purge", documentId: document.id },
    );
  }
  return true;
}
