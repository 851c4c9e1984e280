import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { DOCUMENTS_COLLECTION } from "./documents.schema";
import { type Ingested, type IngestInput, type Ingesting, WebAddress } from "./ingest.schema";
import { addDocument, addJob, addVersion, assertRagEnabled, resolvePlace } from "./ingestion/accept.server";
import { acceptAddress } from "./ingestion/accept-address.server";
import { knowledgeChanged } from "./ingestion/changes.server";
import { recogniseContent } from "./ingestion/duplicate.server";
import { type EndedJob, whenEnded } from "./ingestion/ended.server";
import { textTitle } from "./ingestion/names";
import { wakeQueue } from "./ingestion/queue.server";
import { piecesOf, sha256Of } from "./ingestion/receive.server";
import { findDocument, findServingIndex, insertPart } from "./ingestion/versions.repo.server";
import { pastedType } from "./pasted-text";

/** How long a call waits for its document, in milliseconds. */
const WAIT = 20_000;

/** A text or an address that was taken on. */
interface Accepted {
  documentId: string;
  jobId: string | undefined;
  /** It was there already. */
  known: boolean;
}

function acceptText(actor: Actor, { text = "", title, ...placing }: IngestInput): Accepted {
  const place = resolvePlace(actor, placing);
  const bytes = Buffer.from(text, "utf8");
  const sha256 = sha256Of(bytes);
  // The text, its document and its job in one commit: what was acknowledged is there, whatever happens next.
  return transaction((tx) => {
    const same = recogniseContent(tx, actor, place, { sha256 });
    if (same) return { documentId: same.document.id, jobId: same.jobId, known: true };
    const name = title ?? textTitle(now());
    const documentId = addDocument(tx, actor, place, { name, type: "text", source: "" });
    const versionId = addVersion(tx, documentId, {
      state: "received",
      sha256,
      size: bytes.length,
      contentType: pastedType(text),
      createdBy: actor.userId,
    });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    const jobId = addJob(tx, actor, { kind: "ingest", documentId, versionId });
    return { documentId, jobId, known: false };
  });
}

function accept(actor: Actor, input: IngestInput): Accepted {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { url, title, ...placing } = input;
  const accepted =
    url === undefined
      ? acceptText(actor, input)
      : transaction((tx) => {
          const place = resolvePlace(actor, placing);
          return acceptAddress(tx, actor, place, { url: WebAddress.parse(url), title });
        });
  const { documentId, jobId } = accepted;
  knowledgeChanged({ orgId: actor.orgId, documentId, jobId });
  wakeQueue();
  return accepted;
}

function describe({ documentId, known }: Accepted): Ingesting {
  const document = findDocument(db(), documentId);
  if (!document) throw new AppError("gone", "The document was deleted while it was worked on.");
  const { id, name: title, status } = document;
  return { id, title, status, ...(known ? { duplicate: true as const } : {}) };
}

/** Takes a text or an address on without waiting for it. */
export function queueIngest(actor: Actor, input: IngestInput): Ingesting {
  return describe(accept(actor, input));
}

/** What came of an ingest within its time: the document, or that it is still being worked on. */
export type IngestOutcome = { done: true; document: Ingested } | { done: false; document: Ingesting };

/**
 * Takes a text or an address on and waits a while for it to be searched.
 *
 * @throws AppError with the reason when it failed within that time; the document stays, marked as failed
 */
export async function ingest(
  actor: Actor,
  input: IngestInput,
  { waitMs = WAIT, signal }: { waitMs?: number; signal?: AbortSignal } = {},
): Promise<IngestOutcome> {
  const accepted = accept(actor, input);
  const ended = accepted.jobId ? await whenEnded(accepted.jobId, waitMs, signal) : undefined;
  if (ended) assertDone(ended);
  const document = describe(accepted);
  if (document.status !== "ready" || (accepted.jobId && !ended)) return { done: false, document };
  const row = findDocument(db(), accepted.documentId);
  const index = findServingIndex(db(), actor.orgId, DOCUMENTS_COLLECTION);
  const { status: _, ...rest } = document;
  const hasEmbeddings = index?.spaceId != null && ended?.wordsOnly !== true;
  return { done: true, document: { ...rest, chunks: row?.chunkCount ?? 0, hasEmbeddings } };
}

function assertDone({ state, error, code }: EndedJob): void {
  if (state === "done") return;
  if (state === "cancelled") throw new AppError("cancelled", "It was cancelled.");
  const refused = code === "egress_refused" ? code : "unprocessable";
  throw new AppError(refused, error ?? "The document could not be worked on.");
}
