import type { Actor } from "~/core/actor";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import {
  assertManages,
  assertMayChange,
  assertRagEnabled,
  documentDetails,
  mayRetry,
  requireDocument,
} from "../access/document-access.server";
import { findDocumentRow } from "../document-rows.repo.server";
import { hasFailed } from "../documents.repo.server";
import type { Ingesting } from "../documents.schema";
import {
  addJob,
  cancelJob,
  findIngestion,
  purgeJob,
  recordRetry,
  reindexJob,
  reprocessVersion,
  retryVersion,
  versionToRetry,
} from "./document-jobs.server";
import { lastJobOf } from "./job";

/**
 * Retries a failed document, or refreshes a ready URL, which requires managing it.
 * @returns the job's id
 * @throws AppError `conflict` if there is nothing to retry
 */
export function retryOrRefreshDocument(actor: Actor, id: string): string {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const jobId = transaction((tx) => {
    const { document } = requireDocument(tx, actor, id);
    if (document.status === "ready" && !hasFailed(document) && document.type !== "url") {
      throw new AppError("conflict", "This document is ready. There is nothing to retry.");
    }
    if (!mayRetry(actor, document)) assertManages(actor, document);
    const job = retryVersion(tx, actor, document);
    recordRetry(tx, actor, document);
    return job;
  });
  knowledgeChanged({ orgId: actor.orgId, documentId: id, jobId });
  return jobId;
}

/** As `retryOrRefreshDocument`. @returns the document without waiting for the result */
export function retryDocument(actor: Actor, id: string): Ingesting {
  retryOrRefreshDocument(actor, id);
  return describeDocument(actor, id);
}

export function cancelDocument(actor: Actor, id: string): Ingesting {
  authorise(actor, "documents.write");
  const { orgId } = actor;
  const jobId = transaction((tx) => {
    const { document } = requireDocument(tx, actor, id);
    assertMayChange(actor, document);
    const job = findIngestion(tx, id);
    if (!job || !cancelJob(tx, job)) throw new AppError("conflict", "This document isn't being processed.");
    append(tx, actor, {
      action: "document.cancelled",
      resource: `document:${id}`,
      details: documentDetails(document, { filename: document.name }),
    });
    return job.id;
  });
  abortJob(jobId);
  knowledgeChanged({ orgId, documentId: id, jobId });
  return describeDocument(actor, id);
}

function describeDocument(actor: Actor, id: string): Ingesting {
  const { name: title, status } = requireDocument(db(), actor, id).document;
  return { id, title, status };
}

/** Resumes the unfinished work on a restored document. @returns a function to call after the commit */
export function resumeWork(tx: Db, actor: Actor, documentId: string): () => void {
  const document = findDocumentRow(tx, documentId);
  if (document && (document.versionId === null || lastJobOf(document)?.deleted)) {
    const version = versionToRetry(tx, document);
    if (document.type === "url" || version?.sha256) reprocessVersion(tx, actor, document, version);
  }
  // The deletion may also have canceled a purge.
  addJob(tx, actor, reindexJob, { documentId, moved: true, renamed: true });
  addJob(tx, actor, purgeJob, { documentId });
  return () => knowledgeChanged({ orgId: actor.orgId, documentId });
}
