import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { withReserve } from "~/core/disk-reserve.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { mayManage, requireDocument } from "./access/document-access.server";
import { categoryNamed } from "./categories/categories.service.server";
import { changeDocument } from "./document-changes.service.server";
import { BulkInput, type BulkResult } from "./document-input.schema";
import { listDeletedAt } from "./document-rows.repo.server";
import { listDocuments } from "./documents.service.server";
import { listRetryable } from "./jobs/jobs.repo.server";
import { retryDocument } from "./jobs/work.service.server";
import { deleteDocument, findDeleted, undeleteDocument } from "./removal/document-removal.service.server";

export interface BulkOutcome extends BulkResult {
  name: string | undefined;
  before: { category: string; ids: string[] }[];
  /** The deletion's time, which identifies it for Undo. */
  deletedAt: number | undefined;
}

interface Chosen {
  id: string;
  name: string;
  isSkipped: boolean;
}

/**
 * The documents in the given order, without missing or hidden ones.
 * @throws AppError `not_found` if all are
 */
function chosenOf(actor: Actor, ids: readonly string[], shouldSkip: (row: Row) => boolean): Chosen[] {
  const rows = new Map(findDocuments(db(), actor, ids).map((row) => [row.id, row]));
  const chosen = [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
  if (chosen.length === 0)
    throw new AppError("not_found", "These documents no longer exist. Reload the list and try again.");
  return chosen.map((row) => ({ id: row.id, name: row.name, isSkipped: shouldSkip(row) }));
}
type Row = ReturnType<typeof findDocuments>[number];

function outcomeOf(chosen: readonly Chosen[], more: Partial<BulkOutcome> = {}): BulkOutcome {
  const done = chosen.filter(({ isSkipped }) => !isSkipped);
  return {
    documents: done.length,
    skipped: chosen.length - done.length,
    name: done.length === 1 ? done[0]?.name : undefined,
    before: [],
    deletedAt: undefined,
    ...more,
  };
}

export function changeDocuments(actor: Actor, input: BulkInput): BulkOutcome {
  authorise(actor, "documents.write");
  switch (input.action) {
    case "move":
      return transaction(() => moveAll(actor, input.ids, input.category));
    case "retry":
      return transaction(() => retryAll(actor, input.ids));
    case "delete":
      return withReserve(actor, () => transaction(() => deleteAll(actor, input.ids)));
  }
}

function moveAll(actor: Actor, ids: readonly string[], name: string): BulkOutcome {
  const { id, name: category } = categoryNamed(actor.orgId, name);
  const chosen = chosenOf(actor, ids, (row) => row.categoryId === id);
  const rows = chosen
    .filter(({ isSkipped }) => !isSkipped)
    .map((one) => requireDocument(db(), actor, one.id));
  const before = new Map<string, string[]>();
  for (const { document, category: from } of rows.toSorted(
    (a, b) => a.document.orderIndex - b.document.orderIndex,
  ))
    before.set(from, [...(before.get(from) ?? []), document.id]);
  for (const { document } of rows) changeDocument(actor, document.id, { category });
  return outcomeOf(chosen, { before: [...before].map(([from, moved]) => ({ category: from, ids: moved })) });
}

function retryAll(actor: Actor, ids: readonly string[]): BulkOutcome {
  const retryable = listRetryable(db(), ids);
  const chosen = chosenOf(actor, ids, ({ id }) => !retryable.has(id));
  for (const { id, isSkipped } of chosen) if (!isSkipped) retryDocument(actor, id);
  return outcomeOf(chosen);
}

function deleteAll(actor: Actor, ids: readonly string[]): BulkOutcome {
  const chosen = chosenOf(actor, ids, (row) => !mayManage(actor, row));
  if (chosen.every(({ isSkipped }) => isSkipped))
    throw new AppError("forbidden", "Only the person who added a document, or an admin, can delete it.");
  const deletedAt = now();
  for (const { id, isSkipped } of chosen) if (!isSkipped) deleteDocument(actor, id, deletedAt);
  return outcomeOf(chosen, { deletedAt });
}

/** Moves documents back to the end of their categories. @param moves each a category name and ids, one per line */
export function undoMoves(actor: Actor, moves: readonly string[]): void {
  transaction(() => {
    for (const move of moves) {
      const [category, ...ids] = move.split("\n");
      changeDocuments(actor, BulkInput.parse({ action: "move", ids, category }));
    }
  });
}

/** Restores a deletion as far as the actor may. @throws AppError `gone` after ten minutes */
export function restoreDeletion(actor: Actor, deletedAt: number): BulkResult {
  return restoreDocuments(
    actor,
    listDeletedAt(db(), actor, deletedAt).map(({ id }) => id),
  );
}

/** Restores deleted documents as far as the actor may. @throws AppError `gone` if none can be restored */
export function restoreDocuments(actor: Actor, ids: readonly string[]): BulkResult {
  authorise(actor, "documents.write");
  const chosen = [...new Set(ids)];
  const restorable = chosen.filter((id) => findDeleted(actor, id)?.mayRestore);
  if (restorable.length === 0)
    throw new AppError(
      "gone",
      "The documents were deleted more than ten minutes ago and can't be restored. Add them again.",
    );
  transaction(() => {
    for (const id of restorable) undeleteDocument(actor, id);
  });
  return { documents: restorable.length, skipped: chosen.length - restorable.length };
}

const MAX_DOCUMENTS = 500;

export async function retryFailed(
  actor: Actor,
  max = MAX_DOCUMENTS,
): Promise<{ documents: number; more: boolean }> {
  authorise(actor, "documents.write");
  let documents = 0;
  let cursor: string | undefined;
  do {
    const limit = max - documents;
    const page = await listDocuments(actor, { status: "failed", limit, ...(cursor ? { cursor } : {}) });
    for (const { id, canRetry } of page.documents) {
      if (!canRetry) continue;
      try {
        retryDocument(actor, id);
        documents += 1;
      } catch (error) {
        // Concurrently retried or deleted documents are skipped.
        if (!(error instanceof AppError && (error.code === "conflict" || error.code === "not_found")))
          throw error;
      }
      await yieldToEventLoop();
    }
    cursor = page.next;
  } while (cursor !== undefined && documents < max);
  return { documents, more: cursor !== undefined };
}
