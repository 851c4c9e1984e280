import { db, transaction } from "~/core/db.server";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob, purgeJob, recordEnd } from "../jobs/document-jobs.server";
import { markVersionFailed } from "../versions/mark-failed.server";
import { deleteVersion, findVersion, updateVersion, type VersionRow } from "../versions/versions.repo.server";
import type { IngestionContext } from "./context.server";
import { removeParts, removeTexts } from "./remove.server";

/** Marks an unchanged version for purging. */
export const UNCHANGED = "The content is the same as the current version's.";

/** Removes an inactive version whose chunks are already removed. */
export async function removeVersion(versionId: string, signal?: AbortSignal): Promise<void> {
  const version = findVersion(db(), versionId);
  const document = version && findDocumentForJob(db(), version.documentId);
  if (document?.versionId === versionId && document.deletedAt === null)
    throw new Error(`Version ${versionId} is current and can't be removed.`);
  await removeTexts(versionId, signal);
  await removeParts(versionId, signal);
  transaction((tx) => deleteVersion(tx, versionId));
}

/**
 * Ends the job of an unchanged document: records the check and headers, and discards the new version.
 * @param newVersionId the version that turned out to be the same
 */
export function keepActiveVersion(
  { jobId, owner, input, succeed }: IngestionContext,
  documentId: string,
  newVersionId: string | undefined,
  validators?: Partial<Pick<VersionRow, "etag" | "lastModified">>,
): void {
  transaction((tx) => {
    const document = findDocumentForJob(tx, documentId);
    if (!document || !succeed(tx)) return;
    const { etag = null, lastModified = null } = validators ?? {};
    if (validators && document.versionId) updateVersion(tx, document.versionId, { etag, lastModified });
    if (newVersionId && newVersionId !== document.versionId) {
      markVersionFailed(tx, newVersionId, UNCHANGED);
      const actor = { orgId: document.orgId, ...input.by, userId: owner };
      addJob(tx, actor, purgeJob, { by: input.by, documentId });
    }
    updateDocumentForJob(tx, documentId, { status: "ready", error: null });
    recordEnd(tx, document, { id: jobId, state: "done", outcome: "unchanged" });
  });
}
