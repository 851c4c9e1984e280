import { onAbort } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { DOCUMENTS_COLLECTION } from "~/platform/catalogue/documents";
import { authorise } from "~/platform/rights/authorization.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { knowledgeChanged, onKnowledgeChanged } from "~/work/index/knowledge-changes.server";
import { assertRagEnabled, requireDocument } from "../access/document-access.server";
import { findDocumentRow } from "../document-rows.repo.server";
import type { DocumentDetail, Ingesting } from "../documents.schema";
import { getDocument } from "../documents.service.server";
import { discardDocument } from "../jobs/document-jobs.server";
import { type LastJob, lastJobOf } from "../jobs/job";
import { listActiveJobs } from "../jobs/jobs.repo.server";
import { retryOrRefreshDocument } from "../jobs/work.service.server";
import { type Accepted, acceptAddress, acceptText, prepareText, resolveTarget } from "./accept.server";
import { type Ingested, type IngestInput, WebAddress } from "./ingest.schema";

/** Time a call waits for its document (ms). */
const WAIT = 20_000;

function accept(actor: Actor, { text = "", format, url, title, ...targetFields }: IngestInput): Accepted {
  authorise(actor, "documents.write");
  const { orgId } = actor;
  assertRagEnabled(orgId);
  const accepted = transaction((tx) => {
    const target = resolveTarget(actor, targetFields);
    return url === undefined
      ? acceptText(actor, target, prepareText(text, format), title)
      : acceptAddress(tx, actor, target, { url: WebAddress.parse(url), title });
  });
  knowledgeChanged({ orgId, documentId: accepted.documentId, jobId: accepted.jobId });
  return accepted;
}

function describe({ documentId, isExisting }: Accepted): Ingesting {
  const document = findDocumentRow(db(), documentId);
  if (!document) throw new AppError("gone", "The document was deleted during processing.");
  const { id, name: title, status } = document;
  return { id, title, status, ...(isExisting ? { duplicate: true as const } : {}) };
}

export function queueIngest(actor: Actor, input: IngestInput): Ingesting {
  return describe(accept(actor, input));
}

export type IngestOutcome = { done: true; document: Ingested } | { done: false; document: Ingesting };

/**
 * Adds a text or URL and waits briefly for it.
 * @throws AppError if it failed within that time; the failed document stays, unless the egress guard refused its URL
 */
export async function ingest(
  actor: Actor,
  input: IngestInput,
  { waitMs = WAIT, signal }: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<IngestOutcome> {
  const accepted = accept(actor, input);
  const ended = accepted.jobId
    ? await waitForJobEnd(accepted.documentId, accepted.jobId, waitMs, signal)
    : undefined;
  // A retry would be refused too.
  if (ended?.code === "egress_refused" && !accepted.isExisting)
    transaction((tx) => discardDocument(tx, actor, accepted.documentId))();
  if (ended) assertDone(ended);
  const document = describe(accepted);
  if (document.status !== "ready" || (accepted.jobId && !ended)) return { done: false, document };
  const row = findDocumentRow(db(), accepted.documentId);
  const index = findActiveIndex(db(), actor.orgId, DOCUMENTS_COLLECTION);
  const { status: _, ...rest } = document;
  const hasEmbeddings = index?.spaceId != null && ended?.wordsOnly !== true;
  return { done: true, document: { ...rest, chunks: row?.chunkCount ?? 0, hasEmbeddings } };
}

function assertDone({ state, error, code }: EndedJob): void {
  if (state === "done") return;
  if (state === "cancelled") throw new AppError("cancelled", "It was canceled.");
  throw new AppError(
    code === "egress_refused" ? code : "unprocessable",
    error ?? "The document couldn't be processed. Retry it.",
  );
}

/** Time a refresh waits for its result (ms). */
const REFRESH_WAIT = 8000;

/**
 * Refreshes a URL and waits briefly.
 * @returns the document with `lastRefresh`; undefined while in progress
 * @throws AppError `conflict` for documents without an address
 */
export async function refreshNow(
  actor: Actor,
  id: string,
  { waitMs = REFRESH_WAIT, signal }: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<DocumentDetail | undefined> {
  const { type } = requireDocument(db(), actor, id).document;
  if (type !== "url")
    throw new AppError("conflict", "This document has no URL to refresh. Upload a new version instead.");
  const ended = await waitForJobEnd(id, retryOrRefreshDocument(actor, id), waitMs, signal);
  return ended && getDocument(actor, id);
}

type EndedJob = Pick<LastJob, "state" | "error" | "code" | "wordsOnly">;

function findEnd(documentId: string, jobId: string): EndedJob | undefined {
  const document = findDocumentRow(db(), documentId);
  const last = document && lastJobOf(document);
  if (last?.id === jobId) return last;
  const isActive = listActiveJobs(db(), documentId).some(({ id }) => id === jobId);
  return document && isActive ? undefined : { state: "cancelled" };
}

/** Waits for the end of a document's job. @returns undefined on timeout or abort */
function waitForJobEnd(
  documentId: string,
  jobId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<EndedJob | undefined> {
  return new Promise((resolve) => {
    let release = () => {};
    const finish = (ended?: EndedJob) => {
      clearTimeout(timer);
      stopListening();
      release();
      resolve(ended);
    };
    const giveUp = () => finish();
    const check = () => {
      const ended = findEnd(documentId, jobId);
      if (ended) finish(ended);
    };
    const stopListening = onKnowledgeChanged((change) => {
      if (change.jobId === jobId) check();
    });
    const timer = setTimeout(giveUp, waitMs);
    release = onAbort(signal, giveUp);
    if (!signal?.aborted) check();
  });
}
