import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import type { JobRow } from "../documents/jobs/jobs.repo.server";
import {
  findDocument,
  findVersion,
  updateDocument,
  updateVersion,
} from "../documents/versions/versions.repo.server";
import { isOutage } from "../index/outages";

/** What a failed attempt means to the queue: an error that is transient there only where another attempt can help. */
export function toJobError(error: unknown, step: JobRow["step"]): AppError {
  if (!(error instanceof AppError)) {
    log.error("an ingestion job failed", { error });
    const message = "Something went wrong on the server. Try again.";
    return new AppError("internal", message, { cause: error, lasting: true });
  }
  const { code, message } = error;
  // What can't be read in time now can't be read in time later.
  if (step === "reading" || !isOutage(error))
    return new AppError(code, message, { cause: error, lasting: true });
  // With the text read, the next attempt serves the keywords alone, so that a provider's longer pause needn't be kept.
  if (step === "embedding" || step === "indexing") return new AppError(code, message, { cause: error });
  return error;
}

/** Marks a version as failed; one that was current before may be again. */
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
