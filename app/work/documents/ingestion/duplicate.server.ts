import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import type { DocumentRow } from "../documents.repo.server";
import { updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { findIngestion, recordRetry, retryVersion } from "../jobs/document-jobs.server";
import { listVisibleByContent, type VersionRow } from "../versions/versions.repo.server";
import { type IngestTarget, isVisibleToTarget } from "./accept.server";
import { UNCHANGED } from "./activate-version.server";

interface Duplicate {
  document: DocumentRow;
  jobId: string | undefined;
}

function isAbandonedVersion(document: DocumentRow, version: VersionRow): boolean {
  if (document.status !== "ready" || document.versionId === version.id) return false;
  return version.state === "failed" && version.error !== UNCHANGED;
}

/** An existing document with the same content that all intended readers can view; retried if it failed. */
export function reuseDuplicate(
  tx: Db,
  actor: Actor,
  target: IngestTarget,
  { sha256, exceptId, batchId }: { sha256: string; exceptId?: string; batchId?: string },
): Duplicate | undefined {
  const duplicate = listVisibleByContent(tx, actor, sha256, exceptId).find(
    ({ document, version }) =>
      !isAbandonedVersion(document, version) && isVisibleToTarget(tx, document, target),
  );
  if (!duplicate) return undefined;
  const { document, version } = duplicate;
  if (batchId) updateDocumentForJob(tx, document.id, { batchId });
  if (document.status === "ready" || document.versionId === version.id) return { document, jobId: undefined };
  if (!findIngestion(tx, document.id)) recordRetry(tx, actor, document);
  return { document, jobId: retryVersion(tx, actor, document, batchId) };
}
