import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { knowledgeChanged, rememberDocumentViewers } from "~/work/index/knowledge-changes.server";
import { updateDocumentForJob } from "../documents-for-jobs.repo.server";
import { PURGE_NOW } from "../removal/deletion";
import { addJob } from "./add-job.server";
import { cancelJob } from "./cancel.server";
import { listActiveJobs } from "./jobs.repo.server";

/**
 * Cancels a document's jobs within the deletion's transaction.
 * @returns a function to call after the commit
 */
export function stopJobs(tx: Db, orgId: string, documentId: string): () => void {
  const jobs = listActiveJobs(tx, documentId).filter((job) => cancelJob(tx, job, { deleted: true }));
  return () => {
    for (const { id } of jobs) abortJob(id);
    knowledgeChanged({ orgId, documentId });
  };
}

/**
 * Hides and purges a document that shouldn't have been added.
 * @returns a function to call after the commit
 */
export function discardDocument(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  documentId: string,
): () => void {
  const notifyViewers = rememberDocumentViewers(actor.orgId, documentId);
  const stopped = stopJobs(tx, actor.orgId, documentId);
  updateDocumentForJob(tx, documentId, { deletedAt: PURGE_NOW });
  append(tx, actor, { action: "document.discarded", resource: `document:${documentId}` });
  addJob(tx, actor, { kind: "purge", documentId });
  return () => {
    stopped();
    notifyViewers();
  };
}
