import { Readable } from "node:stream";
import type { Actor } from "~/core/actor";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { assertManages, documentDetails, requireDocument } from "../access/document-access.server";
import type { BulkResult, SameNameChoice } from "../document-input.schema";
import { moveInnerDocuments, updateDocumentRow } from "../document-rows.repo.server";
import type { DocumentDetail } from "../documents.schema";
import { findOlder, getDocument } from "../documents.service.server";
import { discardDocument } from "../jobs/document-jobs.server";
import { readOriginal } from "../versions/document-parts.service.server";
import { findShownVersion } from "../versions/versions.repo.server";
import { isVisibleToReadersOf } from "./accept.server";
import { addDocumentVersion } from "./document-versions.service.server";

/**
 * Makes a document the new version of the older one from a file of the same name, or keeps both.
 * @returns the older document, or the one that is kept
 * @throws AppError `conflict` if it was decided before, while the older document is being processed, and if others
 *   would see the new version than see the document
 */
export async function decideSameName(
  actor: Actor,
  id: string,
  choice: SameNameChoice,
  signal?: AbortSignal,
): Promise<DocumentDetail> {
  authorise(actor, "documents.write");
  const { document } = requireDocument(db(), actor, id);
  assertManages(actor, document);
  const older = findOlder(actor, [document])(document);
  if (!older) throw new AppError("conflict", "No older document of this file name waits for a decision.");
  return choice === "version" ? moveInto(actor, id, older.id, signal) : keepBoth(actor, id);
}

async function moveInto(
  actor: Actor,
  id: string,
  olderId: string,
  signal: AbortSignal | undefined,
): Promise<DocumentDetail> {
  const { document } = requireDocument(db(), actor, id);
  const version = findShownVersion(db(), document);
  const content = {
    fileName: version?.fileName ?? document.name,
    contentType: version?.contentType ?? "",
    bytes: Readable.from(readOriginal(actor, id).pieces),
  };
  let finish = () => {};
  const detail = await addDocumentVersion(actor, olderId, content, signal, (tx) => {
    assertMovable(tx, actor, { id, versionId: version?.id, olderId });
    moveInnerDocuments(tx, id, olderId);
    finish = discardDocument(tx, actor, id);
  });
  finish();
  return detail;
}

/** Checked once its content was copied: either document may have changed meanwhile. */
function assertMovable(
  tx: Db,
  actor: Actor,
  { id, versionId, olderId }: { id: string; versionId: string | undefined; olderId: string },
): void {
  const { document } = requireDocument(tx, actor, id);
  const { document: older } = requireDocument(tx, actor, olderId);
  assertManages(actor, document);
  if (findShownVersion(tx, document)?.id !== versionId)
    throw new AppError("conflict", `"${document.name}" was changed meanwhile. Try again.`);
  if (!isVisibleToReadersOf(tx, document, older))
    throw new AppError(
      "conflict",
      `"${older.name}" is visible to people who can't see the new file. Keep both, or change who sees one of them.`,
    );
}

function keepBoth(actor: Actor, id: string): DocumentDetail {
  transaction((tx) => {
    const { document } = requireDocument(tx, actor, id);
    updateDocumentRow(tx, id, { sameNameAs: null });
    append(tx, actor, {
      action: "document.kept",
      resource: `document:${id}`,
      details: documentDetails(document, { name: document.name }),
    });
  });
  knowledgeChanged({ orgId: actor.orgId, documentId: id });
  return getDocument(actor, id);
}

export interface SameNamesDecided extends BulkResult {
  /** Of the last document that has a new version, or is kept. */
  id: string | undefined;
  name: string | undefined;
  /** Why the last one was skipped. */
  problem: string | undefined;
}

/** As `decideSameName` for several; those that can't be decided now are skipped. */
export async function decideSameNames(
  actor: Actor,
  ids: readonly string[],
  choice: SameNameChoice,
  signal?: AbortSignal,
): Promise<SameNamesDecided> {
  const result: SameNamesDecided = {
    documents: 0,
    skipped: 0,
    id: undefined,
    name: undefined,
    problem: undefined,
  };
  for (const id of new Set(ids)) {
    try {
      const decided = await decideSameName(actor, id, choice, signal);
      result.documents += 1;
      result.id = decided.id;
      result.name = decided.name;
    } catch (error) {
      if (!(error instanceof AppError && (error.code === "conflict" || error.code === "not_found")))
        throw error;
      result.skipped += 1;
      result.problem = error.message;
    }
  }
  return result;
}
