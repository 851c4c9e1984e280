import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { JobInput } from "./job";
import { findJob, updateJob } from "./jobs.repo.server";
import { removeParts, removeTexts } from "./remove.server";
import {
  deleteVersion,
  findDocument,
  updateDocument,
  updateVersion,
  type VersionRow,
} from "./versions.repo.server";

/** Removes a version whole but for its chunks, which it must not have any more. */
export async function removeVersion(versionId: string, signal?: AbortSignal): Promise<void> {
  await removeTexts(versionId, signal);
  await removeParts(versionId, signal);
  transaction((tx) => deleteVersion(tx, versionId));
}

/** Gives up a version that says the same as the one that is served, which learns what the address told of it. */
export async function dropVersion(
  jobId: string,
  versionId: string,
  told: Partial<Pick<VersionRow, "etag" | "lastModified">>,
): Promise<void> {
  transaction((tx) => {
    const job = findJob(tx, jobId);
    const document = job?.documentId ? findDocument(tx, job.documentId) : undefined;
    const { etag = null, lastModified = null } = told;
    if (document?.versionId) updateVersion(tx, document.versionId, { etag, lastModified });
    // Otherwise the job would go with the version.
    updateJob(tx, jobId, "running", { versionId: null });
  });
  await removeVersion(versionId);
}

/** Ends the job of a document that is as it was: it was looked at, and what is served stays. */
export function keepServed(jobId: string, documentId: string): void {
  transaction((tx) => {
    const job = findJob(tx, jobId);
    if (job?.state !== "running") return;
    const input: JobInput = { ...JobInput.parse(job.input), outcome: "unchanged" };
    updateJob(tx, jobId, "running", { state: "done", step: null, error: null, input, finishedAt: now() });
    updateDocument(tx, documentId, { status: "ready", error: null });
  });
}
