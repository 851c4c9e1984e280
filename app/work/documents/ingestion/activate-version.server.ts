import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { countVersionChunks } from "~/work/index/chunks.repo.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { documentDetails } from "../document-audit";
import { findDocumentForJob, updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob } from "../jobs/add-job.server";
import { JobInput } from "../jobs/job";
import { findJob, updateJob } from "../jobs/jobs.repo.server";
import { firstText } from "../versions/document-parts.repo.server";
import { findVersion, updateVersion } from "../versions/versions.repo.server";

/** Excerpt length for lists, in characters. */
const EXCERPT = 500;

/**
 * Makes a version active and ends its job, with the audit entry and the purge of obsolete data.
 * @param end.hasEmbeddings false if embeddings follow later
 * @param end.succeed ends the queue's job in the same commit
 */
export function activateVersion(
  jobId: string,
  documentId: string,
  versionId: string,
  { hasEmbeddings, succeed }: { hasEmbeddings: boolean; succeed: (tx: Db) => void },
): void {
  // After a power loss, the job repeats this step.
  transaction(
    (tx) => {
      const job = findJob(tx, jobId);
      const document = findDocumentForJob(tx, documentId);
      const version = findVersion(tx, versionId);
      // Concurrently canceled or deleted.
      if (job?.state !== "running" || !document || !version || document.deletedAt !== null) return;
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
      const input = JobInput.parse(job.input);
      const outcome = before ? "changed" : "added";
      const ended = { state: "done" as const, step: null, error: null, finishedAt: at };
      updateJob(tx, jobId, "running", { ...ended, input: { ...input, outcome, wordsOnly: !hasEmbeddings } });
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
        addJob(tx, { ...actor, userId: job.userId }, { kind: "purge", documentId });
      succeed(tx);
    },
    { durable: false },
  );
}
