import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob } from "../jobs/add-job.server";
import { JobInput } from "../jobs/job";
import { detachJobs, findJob, updateJob } from "../jobs/jobs.repo.server";
import { markVersionFailed } from "../versions/mark-failed.server";
import { deleteVersion, findVersion, updateVersion, type VersionRow } from "../versions/versions.repo.server";
import { removeParts, removeTexts } from "./remove.server";

/** Marks an unchanged version for purging. */
export const UNCHANGED = "The content is the same as the current version's.";

/** Removes an inactive version whose chunks are already removed. */
export async function removeVersion(versionId: string, signal?: AbortSignal): Promise<void> {
  const version = findVersion(db(), versionId);
  const document = version && findDocumentForJob(db(), version.documentId);
  if (document?.versionId === versionId && document.deletedAt === null)
    throw new Error(`Version ${versionId} is current and can't be removed.`);
  await removeTexts(versionId, signal);
  await removeParts(versionId, signal);
  transaction((tx) => {
    detachJobs(tx, versionId);
    deleteVersion(tx, versionId);
  });
}

/** Ends the job of an unchanged document: records the check and headers, and discards the new version. */
export function keepActiveVersion(
  jobId: string,
  documentId: string,
  validators?: Partial<Pick<VersionRow, "etag" | "lastModified">>,
): void {
  transaction((tx) => {
    const job = findJob(tx, jobId);
    const document = findDocumentForJob(tx, documentId);
    if (job?.state !== "running" || !document) return;
    const input: JobInput = { ...JobInput.parse(job.input), outcome: "unchanged" };
    const ended = { state: "done" as const, step: null, error: null, finishedAt: now() };
    const { etag = null, lastModified = null } = validators ?? {};
    if (validators && document.versionId) updateVersion(tx, document.versionId, { etag, lastModified });
    const newVersionId = job.versionId === document.versionId ? null : job.versionId;
    if (newVersionId) {
      markVersionFailed(tx, newVersionId, UNCHANGED);
      const actor = { orgId: document.orgId, ...input.by, userId: job.userId };
      addJob(tx, actor, { kind: "purge", documentId });
    }
    updateJob(tx, jobId, "running", { ...ended, input, ...(newVersionId ? { versionId: null } : {}) });
    updateDocumentForJob(tx, documentId, { status: "ready", error: null });
  });
}
