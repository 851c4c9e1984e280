import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { UNDO_TIME } from "../deletion";
import { JobInput } from "./job";
import { type JobRow, listActiveJobs, updateJob } from "./jobs.repo.server";
import type { JobContext } from "./queue.server";
import { isUploading } from "./receive.server";
import { versionToRetry } from "./retry.server";
import type { IngestSteps } from "./steps.server";
import { removeVersion, UNCHANGED } from "./unchanged.server";
import {
  type DocumentRow,
  deleteDocument,
  findDocument,
  findVersion,
  listVersions,
  type VersionRow,
} from "./versions.repo.server";

/** Versions of a document that stay readable: of those that were searched, and as many files and texts that failed. */
const VERSIONS_KEPT = 5;
/** Before a document is looked at again to which an upload still comes, in milliseconds. */
const UPLOAD_PAUSE = 1000;

/** Whether a version is of no use any more: not searched, not worked on, not coming and not to be tried again. */
function isIdle(document: DocumentRow, { id }: VersionRow): boolean {
  if (document.versionId === id || isUploading(id)) return false;
  if (listActiveJobs(db(), document.id).some(({ versionId }) => versionId === id)) return false;
  return document.status !== "failed" || versionToRetry(db(), document)?.id !== id;
}

function wasSearched({ state, servedAt }: VersionRow): boolean {
  return servedAt !== null || state === "served" || state === "replaced";
}

/** Of what never was searched a file or text that failed is kept; an address is asked anew anyway. */
function isWorthless({ type }: DocumentRow, version: VersionRow): boolean {
  if (wasSearched(version)) return false;
  return version.state !== "failed" || type === "url" || version.error === UNCHANGED;
}

async function purgeVersions(documentId: string, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  const newer = { searched: 0, others: 0 };
  for (const { id } of listVersions(db(), documentId)) {
    const document = findDocument(db(), documentId);
    const version = findVersion(db(), id);
    if (!document || !version) continue;
    const worthless = isWorthless(document, version);
    const kind = wasSearched(version) ? "searched" : "others";
    const kept = !worthless && newer[kind] < VERSIONS_KEPT;
    if (!worthless) newer[kind] += 1;
    if (!isIdle(document, version)) continue;
    await steps.removeVersionChunks(version.id, signal);
    if (!kept) await removeVersion(id, signal);
  }
}

async function purgeDocument(
  job: JobRow,
  document: DocumentRow,
  steps: IngestSteps,
  signal: AbortSignal,
): Promise<void> {
  const versions = listVersions(db(), document.id);
  if (versions.some(({ id }) => isUploading(id))) {
    // Its sender is told at its end that the document is gone; until then its pieces need the version.
    transaction((tx) => updateJob(tx, job.id, "running", { state: "queued", runAt: now() + UPLOAD_PAUSE }));
    return;
  }
  for (const version of versions) {
    await steps.removeVersionChunks(version.id, signal);
    await removeVersion(version.id, signal);
  }
  transaction((tx) => deleteDocument(tx, document.id));
}

/**
 * Removes for good: a deleted document whole, of another one what its newer versions have replaced. Before that, one
 * that was renamed gets its new words, and the points of one that others see now are moved.
 */
export async function runPurge(job: JobRow, steps: IngestSteps, { signal }: JobContext): Promise<void> {
  const document = job.documentId ? findDocument(db(), job.documentId) : undefined;
  if (!document) return;
  if (document.deletedAt === null) {
    const { moved, renamed } = JobInput.parse(job.input);
    if (renamed) await steps.renewTerms(document.id, signal);
    if (moved) await steps.moveScope(document.id, signal);
    await purgeVersions(document.id, steps, signal);
  } else if (document.deletedAt <= now() - UNDO_TIME) await purgeDocument(job, document, steps, signal);
}
