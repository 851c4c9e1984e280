import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { mayRetry } from "../access/document-access.server";
import { updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob, ingestJob, recordRetry, retryOrRefresh } from "../jobs/document-jobs.server";
import { addVersion, listVisibleBySource } from "../versions/versions.repo.server";
import { type Accepted, addDocument, type IngestTarget, isVisibleToTarget } from "./accept.server";
import { addressTitle } from "./names";

type Requester = Pick<Actor, "orgId" | "userId" | "role" | "scopes" | "tokenId" | "requestId">;

/** Queues a URL. Reuses an existing document if all intended readers can view it. */
export function acceptAddress(
  tx: Db,
  actor: Requester,
  target: IngestTarget,
  { url, title, batchId }: { url: string; title?: string | undefined; batchId?: string | undefined },
): Accepted {
  const existing = listVisibleBySource(tx, actor, url).find((document) =>
    isVisibleToTarget(tx, document, target),
  );
  if (existing) {
    const documentId = existing.id;
    if (batchId) updateDocumentForJob(tx, documentId, { batchId });
    if (!mayRetry(actor, existing)) return { documentId, jobId: undefined, isExisting: true };
    recordRetry(tx, actor, existing);
    return { documentId, jobId: retryOrRefresh(tx, actor, existing, batchId), isExisting: true };
  }
  const documentId = addDocument(tx, actor, target, {
    name: title ?? addressTitle(url),
    type: "url",
    source: url,
    batchId,
  });
  const versionId = addVersion(tx, documentId, { state: "receiving", createdBy: actor.userId });
  const jobId = addJob(tx, actor, ingestJob, { documentId, versionId, batchId });
  return { documentId, jobId, isExisting: false };
}
