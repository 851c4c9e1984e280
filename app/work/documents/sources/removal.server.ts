import type { Db } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { rememberDocumentViewers } from "~/work/index/knowledge-changes.server";
import { documentDetails } from "../access/document-access.server";
import { findDocumentRow, updateDocumentRow } from "../document-rows.repo.server";
import { planRemovals, stopJobs } from "../jobs/document-jobs.server";
import type { Requester } from "../jobs/job";

/**
 * Deletes the document of a removed file; it can be restored for ten minutes.
 * @returns a function to call after the commit
 */
export function removeSourceDocument(tx: Db, actor: Requester, documentId: string, at: number): () => void {
  const document = findDocumentRow(tx, documentId);
  if (!document || document.deletedAt !== null) return () => undefined;
  const notifyViewers = rememberDocumentViewers(document.orgId, documentId);
  updateDocumentRow(tx, documentId, { deletedAt: at });
  planRemovals(tx);
  append(tx, actor, {
    action: "document.deleted",
    resource: `document:${documentId}`,
    details: documentDetails(document, { name: document.name }),
  });
  const stopped = stopJobs(tx, document.orgId, documentId);
  return () => {
    stopped();
    notifyViewers();
  };
}
