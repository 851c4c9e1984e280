import { Readable } from "node:stream";
import { whileAccessLasts } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { asOfNow } from "~/platform/rights/current-role.server";
import { Facts, hasPictures } from "~/work/extraction/document.schema";
import { isGuessedOrChosen } from "~/work/extraction/encodings.shared";
import { refusalOfFile } from "~/work/extraction/formats.shared";
import { pageRecognizer } from "~/work/extraction/recognition/recognize.service.server";
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

interface NewVersion {
  id: string;
  versionId: string;
  onQueued?: ((tx: Db) => void) | undefined;
  reread?: Reread;
}

async function receiveVersion(
  actor: Actor,
  version: NewVersion,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  const { id, versionId } = version;
  try {
    const receive = async (combined: AbortSignal) => {
      const received = await receiveBytes(versionId, bytes, { signal: combined });
      queueVersion(actor, version, received);
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

/** Why the same bytes are read again, as its audit entry says it. */
type Reread =
  | { action: "document.encoding_changed"; encoding: string }
  | { action: "document.recognition_requested" };

/**
 * Reads the original again as a new version.
 * @param plan checks that it can be read otherwise than as it is now
 * @throws AppError `conflict` while the document is being processed, else as `plan`
 */
async function rereadOriginal(
  actor: Actor,
  id: string,
  plan: (facts: Facts) => Reread,
  signal: AbortSignal | undefined,
): Promise<DocumentDetail> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { original, ...version } = transaction((tx) => {
    const document = requireIdle(tx, actor, id);
    const current = document.versionId ? findVersion(tx, document.versionId) : undefined;
    if (!current) throw new AppError("conflict", "This document has no text yet. Retry it instead.");
    const reread = plan(Facts.parse(current.facts));
    const { fileName, contentType, finalUrl, etag, lastModified } = current;
    const fields = {
      ...{ fileName, contentType, finalUrl, etag, lastModified },
      encoding: "encoding" in reread ? reread.encoding : current.encoding,
    };
    const versionId = addVersion(tx, id, { ...fields, state: "receiving", createdBy: actor.userId });
    return { versionId, original: current.id, reread };
  });
  return receiveVersion(actor, { id, ...version }, Readable.from(storedPieces(original)), signal);
}

/**
 * Reads the original again in another encoding, as a new version.
 * @throws AppError `conflict` if it says its encoding, for the same one, and while the document is being processed
 */
export function changeEncoding(
  actor: Actor,
  id: string,
  { encoding }: EncodingInput,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  const plan = (facts: Facts): Reread => {
    if (!isGuessedOrChosen(facts))
      throw new AppError("conflict", "This document says its own encoding, so it can't be read in another.");
    if (facts.encoding === encoding)
      throw new AppError("conflict", "This document is read in that encoding already. Choose another one.");
    return { action: "document.encoding_changed", encoding };
  };
  return rereadOriginal(actor, id, plan, signal);
}

/**
 * Reads the original again with its pages that are pictures recognized, as a new version.
 * @throws AppError `conflict` without such pages, without recognition, and while the document is being processed
 */
export function recognizeText(actor: Actor, id: string, signal?: AbortSignal): Promise<DocumentDetail> {
  const plan = (facts: Facts): Reread => {
    if (!hasPictures(facts)) throw new AppError("conflict", "This document has no pages that are pictures.");
    if (!pageRecognizer(actor.orgId))
      throw new AppError(
        "conflict",
        "No text recognition is installed or chosen. Ask an operator to run npm run install:ocr, or an admin to choose a server.",
      );
    return { action: "document.recognition_requested" };
  };
  return rereadOriginal(actor, id, plan, signal);
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
  { id, versionId, onQueued, reread }: NewVersion,
  received: Received,
): void {
  transaction((tx) => {
    // Checked again: access may have changed during the upload.
    const actor = asOfNow(tx, sender);
    authorise(actor, "documents.write");
    const document = requireIdle(tx, actor, id);
    if (received.size === 0) throw new AppError("invalid", "The file is empty. Choose another file.");
    const active = document.versionId ? findVersion(tx, document.versionId) : undefined;
    if (active?.sha256 === received.sha256 && !reread) {
      throw new AppError("conflict", "The content is unchanged. Enter different content.");
    }
    updateVersion(tx, versionId, { ...received, state: "received" });
    const { fileName } = findVersion(tx, versionId) ?? {};
    const source = fileName ? { source: fileName } : {};
    // The source is updated when the version becomes active.
    updateDocumentRow(tx, id, { status: "processing", error: null });
    addJob(tx, actor, ingestJob, { documentId: id, versionId });
    const resource = `document:${id}`;
    if (reread) {
      const { action, ...shown } = reread;
      append(tx, actor, {
        action,
        resource,
        details: documentDetails(document, { name: document.name }, shown),
      });
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
