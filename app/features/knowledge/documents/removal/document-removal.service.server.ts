import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { assertManages, mayManage, requireDocument } from "../access/document-access.server";
import { isReader } from "../access/document-readers.repo.server";
import { rememberDocumentViewers } from "../changes.server";
import { documentDetails } from "../document-audit";
import type { DocumentDetail } from "../document-view.schema";
import { type DocumentRow, updateDocument } from "../documents.repo.server";
import { getDocument } from "../documents.service.server";
import { findDeletedRow } from "../documents-for-jobs.repo.server";
import { planRefreshes, planRemovals } from "../jobs/plan.server";
import { resumeWork, stopWork } from "../jobs/work.service.server";
import { UNDO_TIME } from "./deletion";

/**
 * Deletes a document; it can be restored for ten minutes.
 * @param at the deletion's time, which several may share
 */
export function deleteDocument(actor: Actor, id: string, at = now()): { id: string; name: string } {
  authorise(actor, "documents.write");
  const notifyViewers = rememberDocumentViewers(actor.orgId, id);
  const remove = (tx: Db) => {
    const { document } = requireDocument(tx, actor, id);
    assertManages(actor, document);
    updateDocument(tx, { id, orgId: actor.orgId, deletedAt: at });
    planRemovals(tx);
    append(tx, actor, {
      action: "document.deleted",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }),
    });
    return { name: document.name, stopped: stopWork(tx, id) };
  };
  const { name, stopped } = withReserve(actor, () => transaction(remove));
  stopped();
  notifyViewers();
  return { id, name };
}

/** Restores a deleted document. @throws AppError `not_found`; `gone` after ten minutes */
export function restoreDocument(actor: Actor, id: string): DocumentDetail {
  authorise(actor, "documents.write");
  const resumed = transaction((tx) => {
    const document = requireDeleted(tx, actor, id);
    assertManages(actor, document);
    if (!isRestorable(document)) {
      throw new AppError(
        "gone",
        "The document was deleted more than ten minutes ago and can't be restored. Add it again.",
      );
    }
    updateDocument(tx, { id, orgId: actor.orgId, deletedAt: null, updatedAt: now() });
    planRefreshes(tx);
    append(tx, actor, {
      action: "document.restored",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }),
    });
    return resumeWork(tx, actor, id);
  });
  resumed();
  return getDocument(actor, id);
}

export function findDeleted(
  actor: Actor,
  id: string,
): { id: string; name: string; deletedAt: string; mayRestore: boolean } | undefined {
  authorise(actor, "screens.read");
  const document = findDeletedRow(db(), actor.orgId, id);
  if (!document?.deletedAt || !couldView(db(), actor, document)) return undefined;
  return {
    id,
    name: document.name,
    deletedAt: new Date(document.deletedAt).toISOString(),
    mayRestore: mayManage(actor, document) && isRestorable(document),
  };
}

function isRestorable({ deletedAt }: DocumentRow): boolean {
  return deletedAt !== null && now() - deletedAt < UNDO_TIME;
}

function requireDeleted(tx: Db, actor: Actor, id: string): DocumentRow {
  const document = findDeletedRow(tx, actor.orgId, id);
  if (document && couldView(tx, actor, document)) return document;
  throw new AppError("not_found", "Deleted document not found. It may have been removed for good.");
}

function couldView(tx: Db, actor: Actor, { id, visibility, createdBy }: DocumentRow): boolean {
  return visibility === "organisation" || createdBy === actor.userId || isReader(tx, id, actor.userId);
}
