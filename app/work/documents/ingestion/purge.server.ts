import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { Postponed } from "~/platform/jobs/job-kind.service.server";
import { type DocumentRow, hasFailed } from "../documents.repo.server";
import { deleteDocumentForJob, findDocumentForJob } from "../documents-for-jobs.repo.server";
import { versionToRetry } from "../jobs/document-jobs.server";
import { listActiveJobs } from "../jobs/jobs.repo.server";
import { UNDO_TIME } from "../removal/deletion";
import { findVersion, listVersions, type VersionRow } from "../versions/versions.repo.server";
import { UNCHANGED } from "./activate-version.server";
import type { IngestionContext } from "./context.server";
import { isUploading } from "./receive.server";
import { removeVersion } from "./remove.server";
import type { IngestSteps } from "./steps.server";

/** Versions kept: the newest that were active, and as many failed ones. */
const MAX_KEPT = 5;
/** Delay before re-checking a document whose upload is still running (ms). */
const UPLOAD_PAUSE = 1000;

function isUnused(document: DocumentRow, { id }: VersionRow): boolean {
  if (document.versionId === id || isUploading(id)) return false;
  if (listActiveJobs(db(), document.id).some(({ input }) => input.versionId === id)) return false;
  return !hasFailed(document) || versionToRetry(db(), document)?.id !== id;
}

function wasActive({ state, servedAt }: VersionRow): boolean {
  return servedAt !== null || state === "served" || state === "replaced";
}

/** Whether a version that was never active can be purged: URLs can be fetched again. */
function canBeDiscarded({ type }: DocumentRow, version: VersionRow): boolean {
  if (wasActive(version)) return false;
  return version.state !== "failed" || type === "url" || version.error === UNCHANGED;
}

async function purgeVersions(documentId: string, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  const newer = { searched: 0, others: 0 };
  for (const { id } of listVersions(db(), documentId)) {
    const document = findDocumentForJob(db(), documentId);
    const version = findVersion(db(), id);
    if (!document || !version) continue;
    const isDisposable = canBeDiscarded(document, version);
    const kind = wasActive(version) ? "searched" : "others";
    const isKept = !isDisposable && newer[kind] < MAX_KEPT;
    if (!isDisposable) newer[kind] += 1;
    if (!isUnused(document, version)) continue;
    await steps.removeVersionChunks(version.id, signal);
    if (!isKept) await removeVersion(id, signal);
  }
}

async function purgeDocument(document: DocumentRow, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  const versions = listVersions(db(), document.id);
  if (versions.some(({ id }) => isUploading(id))) {
    // The upload fails once it finds the document deleted; until then it needs the version.
    throw new Postponed(UPLOAD_PAUSE);
  }
  for (const version of versions) {
    await steps.removeVersionChunks(version.id, signal);
    await removeVersion(version.id, signal);
  }
  transaction((tx) => deleteDocumentForJob(tx, document.id));
}

/** Applies a new name or new readers to the indexes. */
export async function reindexDocument(
  { input: { documentId = "", moved, renamed }, signal }: IngestionContext,
  steps: IngestSteps,
): Promise<void> {
  const document = findDocumentForJob(db(), documentId);
  if (!document || document.deletedAt !== null) return;
  if (renamed) await steps.renewTerms(document.id, signal);
  if (moved) await steps.moveScope(document.id, signal);
}

export async function purge(
  { input: { documentId = "" }, signal }: IngestionContext,
  steps: IngestSteps,
): Promise<void> {
  const document = findDocumentForJob(db(), documentId);
  if (!document) return;
  if (document.deletedAt === null) await purgeVersions(document.id, steps, signal);
  else if (document.deletedAt <= now() - UNDO_TIME) await purgeDocument(document, steps, signal);
}
