import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { countVersionChunks } from "~/work/index/chunks.repo.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { documentDetails } from "../document-audit";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob, purgeJob, recordEnd } from "../jobs/document-jobs.server";
import { firstText } from "../versions/document-parts.repo.server";
import { markVersionFailed } from "../versions/mark-failed.server";
import { findVersion, updateVersion, type VersionRow } from "../versions/versions.repo.server";
import type { IngestionContext } from "./context.server";

/** Marks an unchanged version for purging. */
export const UNCHANGED = "The content is the same as the current version's.";

/** Excerpt length for lists, in characters. */
const EXCERPT = 500;

/**
 * Makes a version active and ends its job, with the audit entry and the purge of obsolete data.
 * @param hasEmbeddings false if embeddings follow later
 */
export function activateVersion(
  { jobId, owner, input, succeed }: IngestionContext,
  documentId: string,
  versionId: string,
  hasEmbeddings: boolean,
): void {
  // After a power loss, the job repeats this step.
  transaction(
    (tx) => {
      const document = findDocumentForJob(tx, documentId);
      const version = findVersion(tx, versionId);
      // Concurrently canceled or deleted.
      if (!document || !version || document.deletedAt !== null || !succeed(tx)) return;
      const at = now();
      const index = findActiveIndex(tx, document.orgId, document.collection);
      const chunks = index ? countVersionChunks(tx, index.chunkSetId, versionId) : 0;
      const before = document.versionId;
      if (before && before !== versionId) updateVersion(tx, before, { state: "replaced" });
      updateVersion(tx, versionId, { state: "served", servedAt: at, error: null });
      updateDocumentForJob(tx, documentId, {
        versionId,
        ...(document.type === "file" && version.fileName ? { source: version.fileName } : {}),
        status: "ready",
        error: null,
        chunkCount: chunks,
        excerpt: Array.from(clip(firstText(tx, versionId), EXCERPT + 1))
          .slice(0, EXCERPT)
          .join(""),
        updatedAt: at,
      });
      const outcome = before ? "changed" : "added";
      recordEnd(tx, document, { id: jobId, state: "done", outcome, versionId, wordsOnly: !hasEmbeddings });
      const actor = { orgId: document.orgId, jobId, ...input.by };
      append(tx, actor, {
        action: before ? "document.updated" : "document.uploaded",
        resource: `document:${documentId}`,
        details: documentDetails(
          document,
          { filename: document.name, chunks, size: version.size },
          before ? { version: version.number } : {},
        ),
      });
      if (before || version.number > 1)
        addJob(tx, { ...actor, userId: owner }, purgeJob, { by: input.by, documentId });
    },
    { durable: false },
  );
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
