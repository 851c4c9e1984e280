import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { Postponed } from "~/platform/jobs/job-kind.service.server";
import { deleteDocumentRow, findDocumentRow } from "../document-rows.repo.server";
import { type DocumentRow, hasFailed } from "../documents.repo.server";
import { UNCHANGED, UNDO_TIME, versionToRetry } from "../jobs/document-jobs.server";
import { listActiveJobs } from "../jobs/jobs.repo.server";
import { isUploading, removeVersion } from "../versions/version-content.server";
import { findVersion, listVersions, type VersionRow } from "../versions/versions.repo.server";
import type { IngestionContext, IngestSteps } from "./context.server";

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
    const document = findDocumentRow(db(), documentId);
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
  transaction((tx) => deleteDocumentRow(tx, document.id));
}

/** Applies a new name or new readers to the indexes. */
export async function reindexDocument(
  { input: { documentId = "", moved, renamed }, signal }: IngestionContext,
  steps: IngestSteps,
): Promise<void> {
  const document = findDocumentRow(db(), documentId);
  if (!document || document.deletedAt !== null) return;
  if (renamed) await steps.renewTerms(document.id, signal);
  if (moved) await steps.moveScope(document.id, signal);
}

export async function purge(
  { input: { documentId = "" }, signal }: IngestionContext,
  steps: IngestSteps,
): Promise<void> {
  const document = findDocumentRow(db(), documentId);
  if (!document) return;
  if (document.deletedAt === null) await purgeVersions(document.id, steps, signal);
  else if (document.deletedAt <= now() - UNDO_TIME) await purgeDocument(document, steps, signal);
}
