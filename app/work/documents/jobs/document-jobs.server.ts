import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue } from "~/platform/jobs/enqueue.service.server";
import { type DeclaredJob, declareJob } from "~/platform/jobs/job-kind.service.server";
import { knowledgeChanged, rememberDocumentViewers } from "~/work/index/knowledge-changes.server";
import { documentDetails } from "../access/document-access.server";
import {
  findDocumentRow,
  hasDeletedDocuments,
  nextDeletedAt,
  nextRefreshAt,
  updateDocumentRow,
} from "../document-rows.repo.server";
import { type DocumentRow, hasFailed } from "../documents.repo.server";
import {
  deleteEmptyPages,
  findVersion,
  listVersions,
  updateVersion,
  type VersionRow,
} from "../versions/versions.repo.server";
import { JobInput, type LastJob, lastJobOf, type Requester, requesterOf } from "./job";
import { type ActiveJob, batchSubject, documentSubject, INGESTION, listActiveJobs } from "./jobs.repo.server";

/** Reads a version into the indexes, or fetches a URL again. */
export const ingestJob = declareJob({ kind: INGESTION, input: JobInput, lane: "interactive" });
export const sitemapJob = declareJob({ kind: "documents.sitemap", input: JobInput, lane: "interactive" });
/** Name or readers changed: interactive, since a user expects the effect at once. */
export const reindexJob = declareJob({ kind: "documents.update", input: JobInput, lane: "interactive" });
export const purgeJob = declareJob({ kind: "documents.purge", input: JobInput, lane: "maintenance" });

/** Queues a job of a document, or of a sitemap's batch. @returns its id */
export function addJob(
  tx: Db,
  actor: Requester,
  kind: DeclaredJob<typeof JobInput>,
  input: Partial<JobInput>,
): string {
  const { documentId, batchId = "" } = input;
  const subject = documentId ? documentSubject(documentId) : batchSubject(batchId);
  const { orgId, userId: owner } = actor;
  return enqueue(tx, kind, { by: requesterOf(actor), ...input }, { orgId, owner, subject });
}

export function findIngestion(tx: Db, documentId: string): ActiveJob | undefined {
  return listActiveJobs(tx, documentId).find(({ kind }) => kind === INGESTION);
}

/** Records with the document how an ingestion ended. */
export function recordEnd(tx: Db, document: DocumentRow, end: Omit<LastJob, "at">): void {
  const wordsOnly = end.wordsOnly ?? lastJobOf(document)?.wordsOnly;
  const lastJob: LastJob = { ...end, at: now(), ...(wordsOnly === undefined ? {} : { wordsOnly }) };
  updateDocumentRow(tx, document.id, { lastJob });
}

const CANCELLED = "It was canceled.";
/** Marks an unchanged version for purging. */
export const UNCHANGED = "The content is the same as the current version's.";

/**
 * Cancels a job; call `abortJob` after the commit. A document with an active version keeps it, others are
 * marked as failed.
 * @param options.deleted because its document is deleted, so that Undo continues with it
 * @returns whether there was anything to cancel
 */
export function cancelJob(tx: Db, job: ActiveJob, options: { deleted?: boolean } = {}): boolean {
  if (!cancelJobWithin(tx, job.id)) return false;
  if (job.kind === INGESTION) recordCancellation(tx, job, options);
  return true;
}

/** Updates the document of a canceled ingestion. */
export function recordCancellation(
  tx: Db,
  { id, orgId, owner, input }: Pick<ActiveJob, "id" | "owner" | "input"> & { orgId: string },
  { deleted = false } = {},
): void {
  const { versionId, documentId = "" } = input;
  const document = findDocumentRow(tx, documentId);
  if (!document) return;
  if (versionId) markVersionFailed(tx, versionId, CANCELLED);
  const hasActiveVersion = document.versionId !== null;
  updateDocumentRow(tx, documentId, {
    status: hasActiveVersion ? "ready" : "failed",
    error: hasActiveVersion ? null : CANCELLED,
    updatedAt: now(),
  });
  recordEnd(tx, document, {
    id,
    state: "cancelled",
    ...(versionId ? { versionId } : {}),
    ...(deleted ? { deleted } : {}),
  });
  // Deletes its chunks. Those of a deleted document are kept for Undo.
  if (hasActiveVersion && versionId && !deleted)
    addJob(tx, { orgId, ...input.by, userId: owner }, purgeJob, { by: input.by, documentId });
}

/**
 * Cancels a document's jobs within the deletion's transaction.
 * @returns a function to call after the commit
 */
export function stopJobs(tx: Db, orgId: string, documentId: string): () => void {
  const jobs = listActiveJobs(tx, documentId).filter((job) => cancelJob(tx, job, { deleted: true }));
  return () => {
    for (const { id } of jobs) abortJob(id);
    knowledgeChanged({ orgId, documentId });
  };
}

/**
 * Hides and purges a document that shouldn't have been added.
 * @returns a function to call after the commit
 */
export function discardDocument(tx: Db, actor: Requester, documentId: string): () => void {
  append(tx, actor, { action: "document.discarded", resource: `document:${documentId}` });
  return removeDocument(tx, actor, documentId);
}

/**
 * Hides and purges a document, whose audit entry the caller writes.
 * @returns a function to call after the commit
 */
export function removeDocument(tx: Db, actor: Requester, documentId: string): () => void {
  const notifyViewers = rememberDocumentViewers(actor.orgId, documentId);
  const stopped = stopJobs(tx, actor.orgId, documentId);
  updateDocumentRow(tx, documentId, { deletedAt: PURGE_NOW });
  addJob(tx, actor, purgeJob, { documentId });
  return () => {
    stopped();
    notifyViewers();
  };
}

export function recordRetry(tx: Db, actor: Requester, document: DocumentRow): void {
  append(tx, actor, {
    action: "document.retried",
    resource: `document:${document.id}`,
    details: documentDetails(document, { filename: document.name }),
  });
}

/** The version to retry: that of the last job if it failed or was canceled, never the active one. */
export function versionToRetry(tx: Db, document: DocumentRow): VersionRow | undefined {
  const last = lastJobOf(document);
  const version =
    last && last.state !== "done"
      ? last.versionId && findVersion(tx, last.versionId)
      : listVersions(tx, document.id).find(({ state }) => state === "failed");
  return !version || version.id === document.versionId ? undefined : version;
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
  const active = findIngestion(tx, document.id);
  if (active) return active.id;
  if (!version?.sha256) {
    throw new AppError(
      "conflict",
      "The upload was incomplete, so there is nothing to retry. Upload it again.",
    );
  }
  // Another reader or language may find text on them.
  deleteEmptyPages(tx, version.id);
  // A version that was active has text.
  updateVersion(tx, version.id, { state: wasActive ? "read" : "received", error: null });
  updateDocumentRow(tx, document.id, { status: "processing", error: null });
  return addJob(tx, actor, ingestJob, { documentId: document.id, versionId: version.id, batchId });
}

/** Queues a refresh unless one is active. A URL that was never read returns to processing. @returns the job's id */
export function retryOrRefresh(tx: Db, actor: Requester, document: DocumentRow, batchId?: string): string {
  const { id: documentId, versionId } = document;
  const active = findIngestion(tx, documentId);
  if (!versionId) updateDocumentRow(tx, documentId, { status: "processing", error: null });
  return active?.id ?? addJob(tx, actor, ingestJob, { refresh: true, documentId, batchId });
}

const NoInput = z.object({});

export const dueRefreshes = declareJob({
  kind: "documents.refresh-due",
  input: NoInput,
  lane: "maintenance",
});
export const documentSweep = declareJob({ kind: "documents.sweep", input: NoInput, lane: "maintenance" });

const NEXT = "next";

/** Queues due refreshes. Call it when a refresh time changes. */
export function planRefreshes(tx: Db): void {
  const runAt = nextRefreshAt(tx);
  if (runAt !== undefined) enqueue(tx, dueRefreshes, {}, { dedupeKey: NEXT, runAt });
}

/** Queues purges of deleted documents. Call it after a deletion. */
export function planRemovals(tx: Db): void {
  const deletedAt = nextDeletedAt(tx, now() - UNDO_TIME);
  if (deletedAt !== undefined)
    enqueue(tx, documentSweep, {}, { dedupeKey: NEXT, runAt: deletedAt + UNDO_TIME });
}

export const hasDueRemovals = (): boolean => hasDeletedDocuments(db(), now() - UNDO_TIME);

/** Time in which a deleted document can be restored (ms). */
export const UNDO_TIME = 10 * 60_000;

/** Deletion time that causes immediate purging. */
const PURGE_NOW = 1;

/** Marks a version as failed; one that was active may become active again. */
export function markVersionFailed(tx: Db, versionId: string, reason: string): void {
  const version = findVersion(tx, versionId);
  if (!version) return;
  updateVersion(tx, versionId, { state: version.servedAt === null ? "failed" : "replaced", error: reason });
}

/** Records a failure. A document with an earlier version stays ready. */
export function markFailed(tx: Db, documentId: string, versionId: string | null, reason: string): void {
  if (versionId) markVersionFailed(tx, versionId, reason);
  const document = findDocumentRow(tx, documentId);
  if (!document) return;
  const status = document.versionId === null ? "failed" : "ready";
  updateDocumentRow(tx, documentId, { status, error: reason, updatedAt: now() });
}
