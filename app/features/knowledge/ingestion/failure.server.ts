import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { isOutage } from "../outages";
import { addJob } from "./accept.server";
import { JobInput } from "./job";
import { findJob, type JobRow, updateJob } from "./jobs.repo.server";
import { findDocument, findVersion, updateDocument, updateVersion } from "./versions.repo.server";

/** How often a job is tried in all. */
const MOST_ATTEMPTS = 3;
/** Before the second and the third attempt, in milliseconds. */
const BACKOFF = [2000, 15_000] as const;
/** A far end may ask for a longer pause, in milliseconds; beyond this the job fails. */
const LONGEST_PAUSE = 10 * 60_000;

/**
 * Whether another attempt may end better. What can't be read in time now can't be read in time later, and who asked for an
 * address that leads nowhere wants to know at once; what an embedder can't do now the words make up for the next time.
 */
function mayPass(error: unknown, step: JobRow["step"]): boolean {
  if (step === "reading" || !(error instanceof AppError) || !isOutage(error)) return false;
  return !error.lasting || step === "embedding" || step === "indexing";
}

/**
 * How long to wait before the next attempt, in milliseconds. With the text read, the next one is served by its words
 * whatever the embedder says, so that its wish for a longer pause is left to the index's builder.
 */
function pauseBefore(attempts: number, error: unknown, step: JobRow["step"]): number {
  const usual = BACKOFF[attempts - 1] ?? 0;
  if (step === "embedding" || step === "indexing") return usual;
  const asked = error instanceof AppError && error.retryAfter ? error.retryAfter * 1000 : 0;
  return Math.max(usual, asked);
}

function reasonOf(error: unknown): string {
  return error instanceof AppError
    ? error.message
    : "Something went wrong on the server while it was worked on.";
}

/** Puts a version down as not to be searched; one that was searched before may be again. */
export function setAside(tx: Db, versionId: string, reason: string): void {
  const version = findVersion(tx, versionId);
  if (!version) return;
  updateVersion(tx, versionId, { state: version.servedAt === null ? "failed" : "replaced", error: reason });
}

/** Marks a document as failed, and the version that did; an older one that is served stays so. */
export function markFailed(tx: Db, documentId: string, versionId: string | null, reason: string): void {
  if (versionId) setAside(tx, versionId, reason);
  if (findDocument(tx, documentId))
    updateDocument(tx, documentId, { status: "failed", error: reason, updatedAt: now() });
}

/** Puts down how a job failed: it is tried again later, or its document is marked failed with the reason. */
export function failJob(job: JobRow, error: unknown): void {
  if (!(error instanceof AppError)) log.error("an ingestion job failed", { error });
  transaction((tx) => {
    const row = findJob(tx, job.id);
    // Cancelled meanwhile, or gone with its document.
    if (row?.state !== "running") return;
    const attempts = row.attempts + 1;
    const reason = reasonOf(error);
    const pause = pauseBefore(attempts, error, row.step);
    if (mayPass(error, row.step) && attempts < MOST_ATTEMPTS && pause <= LONGEST_PAUSE) {
      updateJob(tx, row.id, "running", { state: "queued", attempts, runAt: now() + pause, error: reason });
      return;
    }
    const input = { ...JobInput.parse(row.input), code: error instanceof AppError ? error.code : "internal" };
    const ended = { state: "failed" as const, attempts, error: reason, input, finishedAt: now() };
    updateJob(tx, row.id, "running", ended);
    const { documentId, versionId, orgId, userId, kind } = row;
    if (!documentId || kind === "purge") return;
    markFailed(tx, documentId, versionId, reason);
    // What earlier failures left: a reading that keeps failing mustn't grow the file.
    if (kind === "refresh") addJob(tx, { orgId, ...input.by, userId }, { kind: "purge", documentId });
  });
}
