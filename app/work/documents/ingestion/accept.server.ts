import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { documentDetails, mayRetry } from "../access/document-access.server";
import { canBeReader, requireReaders } from "../access/document-readers.service.server";
import { categoryNamed } from "../categories/categories.service.server";
import {
  hasFolder,
  insertDocument,
  listCategoryRows,
  listReaders,
  nextOrderIndex,
  replaceReaders,
  updateDocumentRow,
} from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import {
  addJob,
  findIngestion,
  ingestJob,
  planRefreshes,
  recordRetry,
  retryOrRefresh,
  retryVersion,
  UNCHANGED,
} from "../jobs/document-jobs.server";
import type { IngestTarget, Requester } from "../jobs/job";
import { piecesOf } from "../versions/version-content.server";
import {
  addVersion,
  insertPart,
  listOlderFiles,
  listVisibleByContent,
  listVisibleBySource,
  type VersionRow,
} from "../versions/versions.repo.server";
import type { TargetInput, TextFormat } from "./ingest.schema";
import { SCHEDULES } from "./ingest.shared";
import { addressTitle, textTitle } from "./names.service.server";

export interface Accepted {
  documentId: string;
  jobId: string | undefined;
  /** The document already existed: it is retried, refreshed or left unchanged. */
  isExisting: boolean;
}

/** @throws AppError `invalid` for an unknown category or reader */
export function resolveTarget(
  actor: Actor,
  { category, visibility, readers, refresh }: TargetInput,
): IngestTarget {
  const readerIds = visibility === "named" ? requireReaders(actor, readers) : [];
  const { id: categoryId } = categoryNamed(actor.orgId, category);
  const refreshEvery = SCHEDULES.find(({ name }) => name === refresh)?.every || null;
  return { categoryId, visibility, readers: readerIds, refreshEvery };
}

interface NewDocument {
  name: string;
  type: "text" | "url" | "file";
  source: string;
  batchId?: string | undefined;
  /** The message or archive that it came in. */
  parentId?: string | undefined;
}

/** Without a category or readers deleted since the request. */
function resolveCurrentTarget(tx: Db, orgId: string, target: IngestTarget): IngestTarget {
  const hasCategory = listCategoryRows(tx, orgId).some(({ id }) => id === target.categoryId);
  const categoryId = hasCategory ? target.categoryId : categoryNamed(orgId).id;
  return { ...target, categoryId, readers: target.readers.filter((id) => canBeReader(tx, orgId, id)) };
}

/** Creates a processing document with its audit entry. @returns its id */
export function addDocument(tx: Db, actor: Requester, input: IngestTarget, document: NewDocument): string {
  const id = newId("doc");
  const { orgId, userId } = actor;
  const target = resolveCurrentTarget(tx, orgId, input);
  if (target.project && !hasFolder(tx, target.project.id))
    throw new AppError("gone", "The project was deleted, so its files can't be added.");
  const refreshEvery = document.type === "url" ? target.refreshEvery : null;
  insertDocument(tx, {
    ...document,
    id,
    orgId,
    categoryId: target.categoryId,
    orderIndex: nextOrderIndex(tx, orgId, target.categoryId),
    status: "processing",
    visibility: target.visibility,
    folderId: target.project?.id ?? null,
    refreshEvery,
    refreshAt: refreshEvery === null ? null : now() + refreshEvery,
    createdBy: target.project?.ownerId ?? userId,
    createdAt: now(),
    updatedAt: now(),
  });
  if (refreshEvery !== null) planRefreshes(tx);
  replaceReaders(tx, id, target.readers);
  const { name, type, source } = document;
  append(tx, actor, {
    action: "document.queued",
    resource: `document:${id}`,
    details: documentDetails(target, { filename: name, ...(source ? { source } : {}) }, { type }),
  });
  return id;
}

/** Whether everyone who may view the target can view the document, and finds it in the same searches. */
function isVisibleToTarget(
  tx: Db,
  { id, visibility, createdBy, folderId }: DocumentRow,
  target: Pick<IngestTarget, "visibility" | "readers" | "project">,
): boolean {
  if (folderId !== (target.project?.id ?? null)) return false;
  if (folderId !== null) return true;
  if (visibility === "organisation") return true;
  if (target.visibility === "organisation") return false;
  const viewers = new Set([createdBy, ...listReaders(tx, id)]);
  return target.readers.every((reader) => viewers.has(reader));
}

/** Whether everyone who may view the other document can view this one. */
export function isVisibleToReadersOf(
  tx: Db,
  document: DocumentRow,
  { id, visibility, createdBy, folderId }: DocumentRow,
): boolean {
  const project = folderId === null ? undefined : { id: folderId, ownerId: createdBy };
  return isVisibleToTarget(tx, document, {
    visibility,
    readers: [createdBy, ...listReaders(tx, id)],
    project,
  });
}

/**
 * An older document from a file of the same name, of which the new one may be a version: nobody would see it who
 * doesn't see the new one.
 */
export function findOlderFile(tx: Db, actor: Requester, document: DocumentRow): DocumentRow | undefined {
  return listOlderFiles(tx, actor, document).find((older) => isVisibleToReadersOf(tx, document, older));
}

/** Whether a document doesn't have this content, and won't: its version failed, or an earlier one was restored. */
function isAbandonedVersion(document: DocumentRow, version: VersionRow): boolean {
  if (document.status !== "ready" || document.versionId === version.id) return false;
  return version.state === "replaced" || (version.state === "failed" && version.error !== UNCHANGED);
}

/** An existing document with the same content that all intended readers can view; retried if it failed. */
export function reuseDuplicate(
  tx: Db,
  actor: Requester,
  target: IngestTarget,
  { sha256, exceptId, batchId }: { sha256: string; exceptId?: string; batchId?: string },
): { document: DocumentRow; jobId: string | undefined } | undefined {
  const duplicate = listVisibleByContent(tx, actor, sha256, exceptId).find(
    ({ document, version }) =>
      !isAbandonedVersion(document, version) && isVisibleToTarget(tx, document, target),
  );
  if (!duplicate) return undefined;
  const { document, version } = duplicate;
  if (batchId) updateDocumentRow(tx, document.id, { batchId });
  if (document.status === "ready" || document.versionId === version.id) return { document, jobId: undefined };
  if (!findIngestion(tx, document.id)) recordRetry(tx, actor, document);
  return { document, jobId: retryVersion(tx, actor, document, batchId) };
}

type RequesterWithRole = Requester & Pick<Actor, "role" | "scopes">;

/** Queues a URL. Reuses an existing document if all intended readers can view it. */
export function acceptAddress(
  tx: Db,
  actor: RequesterWithRole,
  target: IngestTarget,
  { url, title, batchId }: { url: string; title?: string | undefined; batchId?: string | undefined },
): Accepted {
  const existing = listVisibleBySource(tx, actor, url).find((document) =>
    isVisibleToTarget(tx, document, target),
  );
  if (existing) {
    const documentId = existing.id;
    if (batchId) updateDocumentRow(tx, documentId, { batchId });
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

interface PreparedText {
  bytes: Uint8Array;
  /** In hex. */
  sha256: string;
  contentType: string;
}

const CONTENT_TYPES = { text: "text/plain", markdown: "text/markdown" } as const;

export function prepareText(text: string, format: TextFormat): PreparedText {
  const bytes = Buffer.from(text, "utf8");
  return {
    bytes,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    contentType: `${CONTENT_TYPES[format]}; charset=utf-8`,
  };
}

export function acceptText(
  actor: Actor,
  target: IngestTarget,
  { bytes, sha256, contentType }: PreparedText,
  title?: string,
): Accepted {
  return transaction((tx) => {
    const same = reuseDuplicate(tx, actor, target, { sha256 });
    if (same) return { documentId: same.document.id, jobId: same.jobId, isExisting: true };
    const name = title ?? textTitle(now(), orgTimeZone(actor.orgId));
    const documentId = addDocument(tx, actor, target, { name, type: "text", source: "" });
    const fields = { sha256, size: bytes.byteLength, contentType, createdBy: actor.userId };
    const versionId = addVersion(tx, documentId, { ...fields, state: "received" });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    const jobId = addJob(tx, actor, ingestJob, { documentId, versionId });
    return { documentId, jobId, isExisting: false };
  });
}
