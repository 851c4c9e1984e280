import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { findDocumentForJob, updateDocumentForJob } from "../unscoped-documents.repo.server";
import { findVersion, updateVersion } from "./versions.repo.server";

/** Marks a version as failed; one that was current before may be again. */
export function setAside(tx: Db, versionId: string, reason: string): void {
  const version = findVersion(tx, versionId);
  if (!version) return;
  updateVersion(tx, versionId, { state: version.servedAt === null ? "failed" : "replaced", error: reason });
}

/** Marks a document as failed, and the version that did; an older one that is served stays so. */
export function markFailed(tx: Db, documentId: string, versionId: string | null, reason: string): void {
  if (versionId) setAside(tx, versionId, reason);
  if (findDocumentForJob(tx, documentId))
    updateDocumentForJob(tx, documentId, { status: "failed", error: reason, updatedAt: now() });
}
