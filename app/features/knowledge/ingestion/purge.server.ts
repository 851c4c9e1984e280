import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { UNDO_TIME } from "../deletion";
import { JobInput } from "./job";
import { type JobRow, listActiveJobs } from "./jobs.repo.server";
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

/** Versions of a document that stay readable. */
const VERSIONS_KEPT = 5;

/** Whether a version is of no use any more: not searched, not worked on, not coming and not to be tried again. */
function isIdle(document: DocumentRow, { id }: VersionRow): boolean {
  if (document.versionId === id || isUploading(id)) return false;
  if (listActiveJobs(db(), document.id).some(({ versionId }) => versionId === id)) return false;
  return document.status !== "failed" || versionToRetry(db(), document)?.id !== id;
}

/** Of what never was searched a file or text that failed is kept; an address is asked anew anyway. */
function isWorthless({ type }: DocumentRow, { state, servedAt, error }: VersionRow): boolean {
  if (servedAt !== null || state === "served" || state === "replaced") return false;
  return state !== "failed" || type === "url" || error === UNCHANGED;
}

async function purgeVersions(documentId: string, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  for (const [index, { id }] of listVersions(db(), documentId).entries()) {
    const document = findDocument(db(), documentId);
    const version = findVersion(db(), id);
    if (!document || !version || !isIdle(document, version)) continue;
    await steps.removeVersionChunks(version.id, signal);
    if (index >= VERSIONS_KEPT || isWorthless(document, version)) await removeVersion(id, signal);
  }
}

async function purgeDocument(document: DocumentRow, steps: IngestSteps, signal: AbortSignal): Promise<void> {
  for (const version of listVersions(db(), document.id)) {
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
  } else if (document.deletedAt <= now() - UNDO_TIME) await purgeDocument(document, steps, signal);
}
