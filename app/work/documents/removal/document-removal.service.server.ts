import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { isoTime } from "~/core/durations";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { rememberDocumentViewers } from "~/work/index/knowledge-changes.server";
import {
  assertManages,
  documentDetails,
  managesOthers,
  mayManage,
  requireDocument,
} from "../access/document-access.server";
import type { PartQuery } from "../document-input.schema";
import {
  changeCreator,
  findDeletedRow,
  hideDocuments,
  listDeletedSince,
  listOfFolder,
  updateDocumentRow,
} from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import type { DeletedDocument, DocumentDetail } from "../documents.schema";
import { getDocument } from "../documents.service.server";
import { planRefreshes, planRemovals, stopJobs, UNDO_TIME } from "../jobs/document-jobs.server";
import { resumeWork } from "../jobs/work.service.server";

/**
 * Deletes a document; it can be restored for ten minutes.
 * @param at the deletion's time, which several may share
 * @param assertMay throws unless the actor may delete it
 */
export function deleteDocument(
  actor: Actor,
  id: string,
  at = now(),
  assertMay: (actor: Actor, document: DocumentRow) => void = assertManages,
): { id: string; name: string } {
  authorise(actor, "documents.write");
  const notifyViewers = rememberDocumentViewers(actor.orgId, id);
  const remove = (tx: Db) => {
    const { document } = requireDocument(tx, actor, id);
    assertMay(actor, document);
    updateDocumentRow(tx, id, { deletedAt: at });
    planRemovals(tx);
    append(tx, actor, {
      action: "document.deleted",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }),
    });
    return { name: document.name, stopped: stopJobs(tx, actor.orgId, id) };
  };
  const { name, stopped } = withReserve(actor, () => transaction(remove));
  stopped();
  notifyViewers();
  return { id, name };
}

/** Deletes a project's files with it. @returns a function to call after the commit */
export function deleteFilesOf(tx: Db, orgId: string, folderId: string): () => void {
  const ids = listOfFolder(tx, folderId);
  hideDocuments(tx, ids, now());
  if (ids.length > 0) planRemovals(tx);
  const stopped = ids.map((id) => stopJobs(tx, orgId, id));
  return () => {
    for (const stop of stopped) stop();
  };
}

/** Gives a project's files to its new owner. */
export const giveFilesOf = (tx: Db, folderId: string, ownerId: string): void =>
  changeCreator(tx, listOfFolder(tx, folderId), ownerId);

/** Restores a deleted document. @throws AppError `not_found`; `gone` after ten minutes */
export function restoreDocument(actor: Actor, id: string): DocumentDetail {
  undeleteDocument(actor, id);
  return getDocument(actor, id);
}

/** As `restoreDocument`, for many documents: their details would read all members for each. */
export function undeleteDocument(actor: Actor, id: string): void {
  authorise(actor, "documents.write");
  const resumed = transaction((tx) => {
    const document = findDeletedRow(tx, actor, id);
    if (!document)
      throw new AppError("not_found", "Deleted document not found. It may have been removed for good.");
    assertManages(actor, document);
    if (!isRestorable(document)) {
      throw new AppError(
        "gone",
        "The document was deleted more than ten minutes ago and can't be restored. Add it again.",
      );
    }
    updateDocumentRow(tx, id, { deletedAt: null, updatedAt: now() });
    planRefreshes(tx);
    append(tx, actor, {
      action: "document.restored",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }),
    });
    return resumeWork(tx, actor, id);
  });
  resumed();
}

export function findDeleted(
  actor: Actor,
  id: string,
): { id: string; name: string; deletedAt: string; mayRestore: boolean } | undefined {
  authorise(actor, "screens.read");
  const document = findDeletedRow(db(), actor, id);
  if (!document?.deletedAt) return undefined;
  return {
    id,
    name: document.name,
    deletedAt: isoTime(document.deletedAt),
    mayRestore: mayManage(actor, document) && isRestorable(document),
  };
}

const pages = keyset(z.object({ deletedAt: KeyNumber, id: KeyId }));

/** The documents that the actor may still restore, last deleted first. */
export function listDeleted(
  actor: Actor,
  { limit, cursor }: PartQuery,
): { documents: DeletedDocument[]; next?: string } {
  authorise(actor, "documents.write");
  const results = listDeletedSince(db(), actor, {
    since: now() - UNDO_TIME,
    createdBy: managesOthers(actor) ? undefined : actor.userId,
    before: pages.decode(cursor),
    limit: limit + 1,
  });
  const { rows, ...next } = pages.page(results, limit, ({ deletedAt, id }) => ({ deletedAt, id }));
  const documents = rows.map(({ deletedAt, ...row }) => ({
    ...row,
    deletedAt: isoTime(deletedAt),
    restorableUntil: isoTime(deletedAt + UNDO_TIME),
  }));
  return { documents, ...next };
}

function isRestorable({ deletedAt }: DocumentRow): boolean {
  return deletedAt !== null && now() - deletedAt < UNDO_TIME;
}
