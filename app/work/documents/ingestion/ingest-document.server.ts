import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { announce } from "~/platform/events/domain-events.service.server";
import type { ReadVersion } from "~/work/extraction/read-task";
import { countVersionChunks } from "~/work/index/chunks.repo.server";
import { findActiveIndex, listLiveIndexIds } from "~/work/index/indexes.repo.server";
import { documentDetails } from "../access/document-access.server";
import { findDocumentRow, listCategoryRows, updateDocumentRow } from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import { addJob, markVersionFailed, purgeJob, recordEnd, UNCHANGED } from "../jobs/document-jobs.server";
import { receiveBytes, removeParts, removeTexts } from "../versions/version-content.server";
import {
  addVersion,
  findTextRowByPosition,
  findVersion,
  insertText,
  updateVersion,
  type VersionRow,
} from "../versions/versions.repo.server";
import type { IngestionContext, IngestSteps } from "./context.server";
import { fetchAddress } from "./fetch-address.server";
import { addInnerDocuments } from "./inner-documents.server";
import { recognizePages } from "./recognize-pages.server";

/** Larger versions are read one at a time, to limit memory (bytes). */
const LARGE_VERSION = 5_000_000;

interface Work {
  document: DocumentRow;
  active: VersionRow | undefined;
  steps: IngestSteps;
  context: IngestionContext;
}

let largeReads: Promise<unknown> = Promise.resolve();

function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const result = largeReads.then(work);
  largeReads = result.catch(() => undefined);
  return result;
}

function requireVersion(id: string): VersionRow {
  const version = findVersion(db(), id);
  if (!version) throw new AppError("gone", "The version was removed.");
  return version;
}

/** Fetches a URL into a version. @returns undefined if unchanged, which ends the job */
async function fetchVersion(work: Work, started: VersionRow | undefined): Promise<VersionRow | undefined> {
  const { document, active, context } = work;
  const { signal, input } = context;
  context.progress("fetching", 0, 0);
  const fetched = await fetchAddress(document.source, signal, active);
  if (!fetched) {
    keepActiveVersion(context, document.id, started?.id);
    return undefined;
  }
  const { body, ...response } = fetched;
  const versionId =
    started?.id ??
    transaction((tx) => {
      const id = addVersion(tx, document.id, { state: "receiving", createdBy: input.by.userId });
      context.changeInput(tx, { ...input, versionId: id });
      return id;
    });
  // An earlier attempt may have left parts.
  await removeParts(versionId, signal);
  const { host } = new URL(fetched.finalUrl);
  const received = await receiveBytes(versionId, withProgress(body, context), {
    tooLarge: () =>
      new AppError(
        "too_large",
        `The response from ${host} is larger than 50 MB. Upload a smaller file instead.`,
      ),
    signal,
  });
  if (received.size === 0)
    throw new AppError("unprocessable", `${host} sent an empty page. Check the address.`);
  transaction((tx) => updateVersion(tx, versionId, { ...response, ...received, state: "received" }));
  if (active?.sha256 === received.sha256) {
    keepActiveVersion(context, document.id, versionId, response);
    return undefined;
  }
  if (active) transaction((tx) => updateDocumentRow(tx, document.id, { status: "processing", error: null }));
  return requireVersion(versionId);
}

async function* withProgress(
  body: AsyncIterable<Uint8Array>,
  { progress }: IngestionContext,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    progress("fetching", Math.ceil(bytes / 1000), 0);
    yield chunk;
  }
}

/** Writes a text's pieces and its version; the last ones share a commit. */
function* textWrites(
  versionId: string,
  pieces: ReadVersion["pieces"],
  last: (tx: Db) => void,
): Generator<(tx: Db) => void> {
  let position = 0;
  for (const piece of pieces) {
    const at = position++;
    yield (tx) => insertText(tx, { ...piece, versionId, position: at });
  }
  yield last;
}

/** Reads a version, and again once pages that are pictures were recognized. */
async function readRecognizing({ document, steps, context }: Work, version: VersionRow) {
  const { signal, progress } = context;
  const { id: versionId, contentType, finalUrl } = version;
  const task = {
    versionId,
    name: version.fileName ?? document.name,
    contentType,
    ...(version.encoding ? { encoding: version.encoding } : {}),
    ...(document.type === "url" ? { url: finalUrl ?? document.source } : {}),
  };
  const read = () => {
    progress("reading", 0, 0);
    const readTask = () => steps.readVersion(task, signal);
    return version.size > LARGE_VERSION ? oneAtATime(readTask) : readTask();
  };
  const first = await read();
  const findRecognizer = () => steps.pageRecognizer(document.orgId);
  const { imagePages = [] } = first.facts;
  const isRecognized = await recognizePages(versionId, imagePages, findRecognizer, context);
  return { ...(isRecognized ? await read() : first), isRecognized };
}

function explainEmpty({ imagePages, notes = [] }: ReadVersion["facts"]): AppError {
  // A retry helps once recognition is installed, or another reader or language is chosen.
  if (imagePages) return new AppError("unavailable", notes.join(" "));
  return new AppError(
    "unprocessable",
    "No text was found in this document. Add its content as text instead.",
  );
}

/** Extracts a version's text. @returns false if it equals the active version's, which ends the job */
async function readText(work: Work, version: VersionRow): Promise<boolean> {
  const { document, active, context } = work;
  const { signal } = context;
  const { id: versionId } = version;
  const read = await readRecognizing(work, version);
  const { title, facts, textHash, textLength, pieces } = read;
  if (textLength === 0) throw explainEmpty(facts);
  // Edited texts are stored even if only their headings changed, and what recognition found even if it is nothing.
  if (document.type !== "text" && active?.textHash === textHash && !read.isRecognized) {
    const { etag, lastModified } = version;
    keepActiveVersion(context, document.id, versionId, { etag, lastModified });
    return false;
  }
  await removeTexts(versionId, signal);
  const result = { title, facts: { ...facts }, textHash, textLength };
  const write = (tx: Db) => updateVersion(tx, versionId, { ...result, state: "read" });
  await runInBatches(textWrites(versionId, pieces, write), (tx, put) => put(tx), { signal, durable: false });
  return true;
}

/**
 * Adds a version to all live indexes. After an embedding failure it is served by keywords.
 * @returns false if some vectors are added later
 */
async function indexEverywhere({ document, steps, context }: Work, versionId: string): Promise<boolean> {
  const { orgId, id: documentId, collection } = document;
  for (;;) {
    const before = listLiveIndexIds(db(), orgId, collection).join();
    const { signal, progress: onProgress } = context;
    const allowKeywordsOnly = context.attempts > 0;
    const work = { orgId, documentId, versionId, onProgress, signal, allowKeywordsOnly };
    const { hasEmbeddings = true } = (await steps.indexVersion(work)) ?? {};
    if (listLiveIndexIds(db(), orgId, collection).join() === before) return hasEmbeddings;
  }
}

export async function ingestDocument(context: IngestionContext, steps: IngestSteps): Promise<void> {
  const { input } = context;
  const document = findDocumentRow(db(), input.documentId ?? "");
  if (!document || document.deletedAt !== null) return;
  const active = document.versionId ? findVersion(db(), document.versionId) : undefined;
  const work: Work = { document, active, steps, context };
  let version = input.versionId ? requireVersion(input.versionId) : undefined;
  if (document.type === "url" && (!version || version.state === "receiving")) {
    version = await fetchVersion(work, version);
    if (!version) return;
  }
  if (!version) throw new AppError("gone", "The version was removed.");
  if (version.state === "received" && !(await readText(work, version))) return;
  // The process crashed right after the switch.
  if (document.versionId === version.id) return keepActiveVersion(context, document.id, version.id);
  if (!(await addInnerDocuments({ document, version: requireVersion(version.id), context }))) return;
  const hasEmbeddings = await indexEverywhere(work, version.id);
  context.signal.throwIfAborted();
  activateVersion(context, document.id, version.id, hasEmbeddings);
}

/** Excerpt length for lists, in characters. */
const EXCERPT = 500;

/**
 * Makes a version active and ends its job, with the audit entry and the purge of obsolete data.
 * @param hasEmbeddings false if embeddings follow later
 */
function activateVersion(
  { jobId, owner, input, succeed }: IngestionContext,
  documentId: string,
  versionId: string,
  hasEmbeddings: boolean,
): void {
  // After a power loss, the job repeats this step.
  transaction(
    (tx) => {
      const document = findDocumentRow(tx, documentId);
      const version = findVersion(tx, versionId);
      // Concurrently canceled or deleted.
      if (!document || !version || document.deletedAt !== null || !succeed(tx)) return;
      const at = now();
      const index = findActiveIndex(tx, document.orgId, document.collection);
      const chunks = index ? countVersionChunks(tx, index.chunkSetId, versionId) : 0;
      const before = document.versionId;
      if (before && before !== versionId) updateVersion(tx, before, { state: "replaced" });
      updateVersion(tx, versionId, { state: "served", servedAt: at, error: null });
      updateDocumentRow(tx, documentId, {
        versionId,
        ...(document.type === "file" && version.fileName ? { source: version.fileName } : {}),
        status: "ready",
        error: null,
        chunkCount: chunks,
        excerpt: Array.from(clip(findTextRowByPosition(tx, versionId, 0)?.text ?? "", EXCERPT + 1))
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
      if (!before && document.visibility === "organisation") {
        const { orgId, name: title, type, categoryId } = document;
        const category = listCategoryRows(tx, orgId).find(({ id }) => id === categoryId)?.name ?? null;
        const { userId, requestId = "" } = input.by;
        announce(tx, "document.added", {
          orgId,
          document: { id: documentId, title, type, category, size: version.size },
          // Its steps call as its member, within a run.
          byWorkflow: userId.startsWith("workflow:") || requestId.startsWith("run_"),
        });
      }
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
function keepActiveVersion(
  { jobId, owner, input, succeed }: IngestionContext,
  documentId: string,
  newVersionId: string | undefined,
  validators?: Partial<Pick<VersionRow, "etag" | "lastModified">>,
): void {
  transaction((tx) => {
    const document = findDocumentRow(tx, documentId);
    if (!document || !succeed(tx)) return;
    const { etag = null, lastModified = null } = validators ?? {};
    if (validators && document.versionId) updateVersion(tx, document.versionId, { etag, lastModified });
    if (newVersionId && newVersionId !== document.versionId) {
      markVersionFailed(tx, newVersionId, UNCHANGED);
      const actor = { orgId: document.orgId, ...input.by, userId: owner };
      addJob(tx, actor, purgeJob, { by: input.by, documentId });
    }
    updateDocumentRow(tx, documentId, { status: "ready", error: null });
    recordEnd(tx, document, { id: jobId, state: "done", outcome: "unchanged" });
  });
}
