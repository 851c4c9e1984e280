import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { findVersion, updateVersion } from "./versions.repo.server";

/** Marks a version as failed; one that was active may become active again. */
export function markVersionFailed(tx: Db, versionId: string, reason: string): void {
  const version = findVersion(tx, versionId);
  if (!version) return;
  updateVersion(tx, versionId, { state: version.servedAt === null ? "failed" : "replaced", error: reason });
}

/** Records a failure. A document with an earlier version stays ready. */
export function markFailed(tx: Db, documentId: string, versionId: string | null, reason: string): void {
  if (versionId) markVersionFailed(tx, versionId, reason);
  const document = findDocumentForJob(tx, documentId);
  if (!document) return;
  const status = document.versionId === null ? "failed" : "ready";
  updateDocumentForJob(tx, documentId, { status, error: reason, updatedAt: now() });
}
