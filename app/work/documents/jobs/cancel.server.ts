import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { cancelJobWithin } from "~/platform/jobs/enqueue.service.server";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { markVersionFailed } from "../versions/mark-failed.server";
import { addJob } from "./add-job.server";
import { JobInput } from "./job";
import { type JobRow, updateJob } from "./jobs.repo.server";

const CANCELLED = "It was canceled.";

/**
 * Cancels a job; call `abortJob` after the commit. A document with an active version keeps it, others are
 * marked as failed.
 * @param options.deleted because its document is deleted, so that Undo continues with it
 * @returns whether there was anything to cancel
 */
export function cancelJob(tx: Db, job: JobRow, options: { deleted?: boolean } = {}): boolean {
  if (!cancelRecord(tx, job, options)) return false;
  cancelJobWithin(tx, job.id);
  return true;
}

/** Updates the document of a canceled job. @returns whether the job was active */
export function cancelRecord(tx: Db, job: JobRow, { deleted = false } = {}): boolean {
  if (job.state !== "queued" && job.state !== "running") return false;
  const input = { ...JobInput.parse(job.input), ...(deleted ? { deleted } : {}) };
  const change = { state: "cancelled" as const, error: CANCELLED, input, finishedAt: now() };
  if (!updateJob(tx, job.id, job.state, change)) return false;
  const document = job.documentId ? findDocumentForJob(tx, job.documentId) : undefined;
  if (!document || job.kind === "purge") return true;
  if (job.versionId) markVersionFailed(tx, job.versionId, CANCELLED);
  const hasActiveVersion = document.versionId !== null;
  const status = hasActiveVersion ? ("ready" as const) : ("failed" as const);
  updateDocumentForJob(tx, document.id, {
    status,
    error: hasActiveVersion ? null : CANCELLED,
    updatedAt: now(),
  });
  // Its chunks. Those of a deleted document are kept for Undo.
  if (hasActiveVersion && job.versionId && !deleted) {
    addJob(
      tx,
      { orgId: job.orgId, ...input.by, userId: job.userId },
      { kind: "purge", documentId: document.id },
    );
  }
  return true;
}
