import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type DocumentRow, hasFailed } from "../documents.repo.server";
import { updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { findVersion, listVersions, updateVersion, type VersionRow } from "../versions/versions.repo.server";
import { addJob } from "./add-job.server";
import { findLastFailedJob, listActiveJobs } from "./jobs.repo.server";

type Requester = Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">;

/** The version to retry: that of the last failed or canceled job, never the active one. */
export function versionToRetry(tx: Db, document: DocumentRow): VersionRow | undefined {
  const failedJob = findLastFailedJob(tx, document.id);
  const failedVersion = failedJob?.versionId ? findVersion(tx, failedJob.versionId) : undefined;
  const version = failedJob
    ? failedVersion
    : listVersions(tx, document.id).find(({ state }) => state === "failed");
  return version?.id === document.versionId ? undefined : version;
}

/** Retries a failed document. @returns the job's id */
export function retryVersion(tx: Db, actor: Requester, document: DocumentRow, batchId?: string): string {
  const version =
    hasFailed(document) || document.status === "processing" ? versionToRetry(tx, document) : undefined;
  return reprocessVersion(tx, actor, document, version, batchId);
}

/**
 * Retries a version: a URL is fetched again, files and texts are read from the stored bytes.
 * @returns the id of the new or the active job
 * @throws AppError `conflict` if the stored bytes are unusable
 */
export function reprocessVersion(
  tx: Db,
  actor: Requester,
  document: DocumentRow,
  version: VersionRow | undefined,
  batchId?: string,
): string {
  const wasActive = version?.servedAt != null;
  if (document.type === "url" && !wasActive) return retryOrRefresh(tx, actor, document, batchId);
  const active = listActiveJobs(tx, document.id).find(({ kind }) => kind !== "purge");
  if (active) return active.id;
  if (!version?.sha256) {
    throw new AppError(
      "conflict",
      "The upload was incomplete, so there is nothing to retry. Upload it again.",
    );
  }
  // A version that was active has text.
  updateVersion(tx, version.id, { state: wasActive ? "read" : "received", error: null });
  updateDocumentForJob(tx, document.id, { status: "processing", error: null });
  return addJob(tx, actor, { kind: "ingest", documentId: document.id, versionId: version.id, batchId });
}

/** Queues a refresh unless one is active. A URL that was never read returns to processing. @returns the job's id */
export function retryOrRefresh(tx: Db, actor: Requester, document: DocumentRow, batchId?: string): string {
  const { id: documentId, versionId } = document;
  const active = listActiveJobs(tx, documentId).find(({ kind }) => kind !== "purge");
  if (!versionId) updateDocumentForJob(tx, documentId, { status: "processing", error: null });
  return active?.id ?? addJob(tx, actor, { kind: "refresh", documentId, batchId });
}
