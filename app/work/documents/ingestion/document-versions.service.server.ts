import { Readable } from "node:stream";
import { whileAccessLasts } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { asOfNow } from "~/platform/rights/current-role.server";
import { Facts } from "~/work/extraction/document.schema";
import { isGuessedOrChosen } from "~/work/extraction/encodings.shared";
import { refusalOfFile } from "~/work/extraction/formats.shared";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import {
  assertManages,
  assertRagEnabled,
  documentDetails,
  requireDocument,
} from "../access/document-access.server";
import type { EncodingInput } from "../document-input.schema";
import { updateDocumentRow } from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import type { DocumentDetail } from "../documents.schema";
import { getDocument } from "../documents.service.server";
import { addJob, ingestJob } from "../jobs/document-jobs.server";
import { listActiveJobs } from "../jobs/jobs.repo.server";
import { storedPieces } from "../versions/document-parts.service.server";
import {
  piecesOf,
  type Received,
  receiveBytes,
  removeVersion,
  trackUpload,
} from "../versions/version-content.server";
import {
  addVersion,
  findVersion,
  findVersionByNumber,
  updateVersion,
} from "../versions/versions.repo.server";
import { prepareText } from "./accept.server";
import type { TextFormat, UploadPart } from "./ingest.schema";
import { cleanFileName } from "./names.service.server";

type NewContent =
  | { text: string; format: TextFormat }
  | { fileName: string; contentType: string; bytes: AsyncIterable<Uint8Array> };

/**
 * @param onQueued runs in the transaction that accepts the version
 * @throws AppError `conflict` for a URL, for unchanged content, and while the document is being processed
 */
export async function addDocumentVersion(
  actor: Actor,
  id: string,
  content: NewContent,
  signal?: AbortSignal,
  onQueued?: (tx: Db) => void,
): Promise<DocumentDetail> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { type, bytes, ...fields } = openContent(content);
  const versionId = transaction((tx) => {
    const document = requireIdle(tx, actor, id);
    assertKind(document, type);
    return addVersion(tx, id, { ...fields, state: "receiving", createdBy: actor.userId });
  });
  return receiveVersion(actor, { id, versionId, onQueued }, bytes, signal);
}

async function receiveVersion(
  actor: Actor,
  { id, versionId, onQueued }: { id: string; versionId: string; onQueued?: ((tx: Db) => void) | undefined },
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  try {
    const receive = async (combined: AbortSignal) => {
      const received = await receiveBytes(versionId, bytes, { signal: combined });
      queueVersion(actor, id, versionId, received, onQueued);
    };
    const message = "The upload was stopped because your permissions changed. Ask an admin.";
    await trackUpload(versionId, () => whileAccessLasts(actor, message, receive, signal));
  } catch (error) {
    // The document stays unchanged on failure.
    await removeVersion(versionId);
    throw error;
  }
  knowledgeChanged({ orgId: actor.orgId, documentId: id });
  return getDocument(actor, id);
}

/**
 * Reads the original again in another encoding, as a new version.
 * @throws AppError `conflict` if it says its encoding, for the same one, and while the document is being processed
 */
export async function changeEncoding(
  actor: Actor,
  id: string,
  { encoding }: EncodingInput,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { versionId, original } = transaction((tx) => {
    const document = requireIdle(tx, actor, id);
    const current = document.versionId ? findVersion(tx, document.versionId) : undefined;
    const facts = Facts.parse(current?.facts ?? {});
    if (!current || !isGuessedOrChosen(facts))
      throw new AppError("conflict", "This document says its own encoding, so it can't be read in another.");
    if (facts.encoding === encoding)
      throw new AppError("conflict", "This document is read in that encoding already. Choose another one.");
    const { fileName, contentType, finalUrl, etag, lastModified } = current;
    const fields = { fileName, contentType, finalUrl, etag, lastModified, encoding };
    const versionId = addVersion(tx, id, { ...fields, state: "receiving", createdBy: actor.userId });
    return { versionId, original: current.id };
  });
  return receiveVersion(actor, { id, versionId }, Readable.from(storedPieces(original)), signal);
}

function openContent(content: NewContent): {
  type: DocumentRow["type"];
  contentType: string;
  fileName?: string;
  bytes: AsyncIterable<Uint8Array>;
} {
  if ("text" in content) {
    const { bytes, contentType } = prepareText(content.text, content.format);
    return { type: "text", contentType, bytes: Readable.from(piecesOf(bytes)) };
  }
  const { fileName, contentType, bytes } = content;
  const refusal = refusalOfFile({ name: fileName, type: contentType });
  if (refusal) throw new AppError("invalid", `${refusal}.`, { fields: { file: [refusal] } });
  return { type: "file", fileName, contentType: contentType.slice(0, 200), bytes };
}

/**
 * Takes the form's first file as the new version.
 * @throws as `addDocumentVersion`; `invalid` without a file
 */
export async function receiveDocumentVersion(
  actor: Actor,
  id: string,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  for await (const part of parts) {
    // Browsers send a nameless part for an empty file field. Awaited here, since leaving the loop ends the
    // form.
    if (part.kind === "file" && part.fileName !== "") {
      return await addDocumentVersion(actor, id, { ...part, fileName: cleanFileName(part.fileName) }, signal);
    }
  }
  throw new AppError("invalid", "Please choose a file", { fields: { file: ["Please choose a file"] } });
}

function queueVersion(
  sender: Actor,
  id: string,
  versionId: string,
  received: Received,
  onQueued: ((tx: Db) => void) | undefined,
): void {
  transaction((tx) => {
    // Checked again: access may have changed during the upload.
    const actor = asOfNow(tx, sender);
    authorise(actor, "documents.write");
    const document = requireIdle(tx, actor, id);
    if (received.size === 0) throw new AppError("invalid", "The file is empty. Choose another file.");
    const active = document.versionId ? findVersion(tx, document.versionId) : undefined;
    const { fileName, encoding } = findVersion(tx, versionId) ?? {};
    const isNewEncoding = encoding != null && encoding !== active?.encoding;
    if (active?.sha256 === received.sha256 && !isNewEncoding) {
      throw new AppError("conflict", "The content is unchanged. Enter different content.");
    }
    updateVersion(tx, versionId, { ...received, state: "received" });
    const source = fileName ? { source: fileName } : {};
    // The source is updated when the version becomes active.
    updateDocumentRow(tx, id, { status: "processing", error: null });
    addJob(tx, actor, ingestJob, { documentId: id, versionId });
    const resource = `document:${id}`;
    if (isNewEncoding) {
      const details = documentDetails(document, { name: document.name }, { encoding });
      append(tx, actor, { action: "document.encoding_changed", resource, details });
      return;
    }
    const details = documentDetails(document, { name: document.name, ...source }, { size: received.size });
    append(tx, actor, { action: "document.version_queued", resource, details });
    onQueued?.(tx);
  });
}

/**
 * Restores an older version, which is re-indexed first.
 * @throws AppError `not_found`; `conflict` for a version that was never active
 */
export function restoreVersion(actor: Actor, id: string, number: number): DocumentDetail {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  transaction((tx) => {
    const document = requireIdle(tx, actor, id, { forRestore: true });
    const version = findVersionByNumber(tx, id, number);
    if (!version) throw new AppError("not_found", "Version not found. It may have been removed.");
    if (version.state !== "replaced" || !version.textLength) {
      throw new AppError("conflict", "Only a previously current version can be restored.");
    }
    // Protects it from the purge.
    updateVersion(tx, version.id, { state: "read" });
    updateDocumentRow(tx, id, { status: "processing", error: null });
    addJob(tx, actor, ingestJob, { documentId: id, versionId: version.id });
    append(tx, actor, {
      action: "document.version_restored",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }, { version: number }),
    });
  });
  knowledgeChanged({ orgId: actor.orgId, documentId: id });
  return getDocument(actor, id);
}

/** The document unless it is being processed. @throws AppError `conflict` */
function requireIdle(tx: Db, actor: Actor, id: string, { forRestore = false } = {}): DocumentRow {
  const { document } = requireDocument(tx, actor, id);
  assertManages(actor, document);
  const busy = listActiveJobs(tx, id).some(
    ({ kind, isRunning }) => kind === ingestJob.kind || (forRestore && isRunning),
  );
  if (busy) {
    throw new AppError("conflict", "This document is being processed. Try again when it is done.");
  }
  return document;
}

function assertKind({ type }: DocumentRow, expected: DocumentRow["type"]): void {
  if (type === expected) return;
  throw new AppError(
    "conflict",
    type === "url"
      ? "This document comes from a URL. Refresh it instead."
      : `This document is a ${type}, so its new version must be a ${type} too.`,
  );
}
