import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { DOCUMENTS_COLLECTION } from "~/platform/catalogue/documents";
import { authorise } from "~/platform/rights/authorization.server";
import { findActiveIndex } from "~/work/index/indexes.repo.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import type { Ingesting } from "../documents.schema";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { assertRagEnabled } from "../rag-enabled.server";
import { deleteDocument } from "../removal/document-removal.service.server";
import { type Accepted, resolveTarget } from "./accept.server";
import { acceptAddress } from "./accept-address.server";
import { acceptText, prepareText } from "./accept-text.server";
import { type EndedJob, waitForJobEnd } from "./ended.server";
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
      ? acceptText(actor, { ...prepareText(text, format), title, target })
      : acceptAddress(tx, actor, target, { url: WebAddress.parse(url), title });
  });
  knowledgeChanged({ orgId, documentId: accepted.documentId, jobId: accepted.jobId });
  return accepted;
}

function describe({ documentId, isExisting }: Accepted): Ingesting {
  const document = findDocumentForJob(db(), documentId);
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
  if (ended?.code === "egress_refused" && !accepted.isExisting) deleteDocument(actor, accepted.documentId);
  if (ended) assertDone(ended);
  const document = describe(accepted);
  if (document.status !== "ready" || (accepted.jobId && !ended)) return { done: false, document };
  const row = findDocumentForJob(db(), accepted.documentId);
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
