import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { knowledgeChanged, rememberDocumentViewers } from "~/work/index/knowledge-changes.server";
import {
  assertManages,
  assertMayChange,
  documentChanges,
  documentDetails,
  requireDocument,
} from "./access/document-access.server";
import { requireReaders } from "./access/document-readers.service.server";
import { categoryNamed } from "./categories/categories.service.server";
import { type DocumentPatch, type MoveInput, RefreshEvery, type ReorderInput } from "./document-input.schema";
import { nextOrderIndex, POSITION_GAP, replaceReaders, updateDocumentRow } from "./document-rows.repo.server";
import { type DocumentRow, findNeighbour, type ListedRow, listNeighbours } from "./documents.repo.server";
import type { DocumentDetail } from "./documents.schema";
import { type DocumentPage, detailOf, readPage } from "./documents.service.server";
import { addJob, planRefreshes, reindexJob } from "./jobs/document-jobs.server";

const PAGE_SIZE = 100;

export function patchDocument(actor: Actor, id: string, patch: DocumentPatch): DocumentDetail {
  // Users who remove their own access still get the result.
  return detailOf(actor, changeDocument(actor, id, patch));
}

/** As `patchDocument`, for many documents: their details would read all members for each. @returns its row */
export function changeDocument(actor: Actor, id: string, patch: DocumentPatch): ListedRow {
  authorise(actor, "documents.write");
  const fields = Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const affectsAccess = patch.visibility !== undefined || patch.readers !== undefined;
  const notifyViewers = affectsAccess ? rememberDocumentViewers(actor.orgId, id) : undefined;
  const changed = transaction((tx) => {
    const row = requireDocument(tx, actor, id);
    if (fields.length === 0) return row;
    const { document } = row;
    assertMayChange(actor, document);
    const category = patch.category === undefined ? undefined : categoryNamed(actor.orgId, patch.category);
    // Without the id: an update of it would check all referring tables.
    const change: Partial<DocumentRow> = {
      ...(patch.name === undefined ? {} : { name: patch.name }),
      ...(category && category.id !== document.categoryId
        ? { categoryId: category.id, orderIndex: nextOrderIndex(tx, actor.orgId, category.id) }
        : {}),
      ...managedChange(tx, actor, document, patch),
      updatedAt: now(),
    };
    updateDocumentRow(tx, id, change);
    const next = { ...document, ...change };
    const moved = next.visibility !== document.visibility;
    const renamed = next.name !== document.name;
    if (patch.refreshEvery !== undefined) planRefreshes(tx);
    if (moved || renamed) addJob(tx, actor, reindexJob, { documentId: id, moved, renamed });
    append(tx, actor, {
      action: "document.updated",
      resource: `document:${id}`,
      details: documentDetails(
        next,
        { name: next.name, ...(category ? { category: category.name } : {}) },
        { fields },
      ),
      ...documentChanges(
        { ...document, category: row.category },
        { ...next, category: category?.name ?? row.category },
      ),
    });
    return { ...row, document: next, category: category?.name ?? row.category };
  });
  publishChanges(actor, [id]);
  notifyViewers?.();
  return changed;
}

function publishChanges({ orgId }: Actor, ids: readonly string[]): void {
  for (const documentId of ids) knowledgeChanged({ orgId, documentId });
}

function managedChange(
  tx: Db,
  actor: Actor,
  document: DocumentRow,
  { visibility, readers, refreshEvery }: DocumentPatch,
): Partial<DocumentRow> {
  if (visibility === undefined && readers === undefined && refreshEvery === undefined) return {};
  assertManages(actor, document);
  if (document.folderId !== null && (visibility !== undefined || readers !== undefined))
    throw new AppError(
      "conflict",
      "This is a file of a project: its members see it. Change them in the project.",
    );
  if (readers) replaceReaders(tx, document.id, requireReaders(actor, readers));
  assertSchedule(document, refreshEvery);
  return {
    ...(visibility === undefined ? {} : { visibility }),
    ...(refreshEvery === undefined
      ? {}
      : { refreshEvery, refreshAt: refreshEvery === null ? null : now() + refreshEvery }),
  };
}

/** Refresh intervals affect everyone's background work, so they are validated here too. */
function assertSchedule({ type }: DocumentRow, every: number | null | undefined): void {
  if (every === null || every === undefined) return;
  const { error } = RefreshEvery.safeParse(every);
  const message =
    type === "url" ? error?.issues[0]?.message : "Only documents from a URL have a refresh schedule";
  if (message) throw new AppError("invalid", `${message}.`, { fields: { refreshEvery: [message] } });
}

/**
 * Moves documents of a category after `after`, or to the start, in the given order.
 * @throws AppError `invalid` if one is missing, hidden or in another category
 */
export function reorderDocuments(actor: Actor, { category, order, after }: ReorderInput): void {
  authorise(actor, "documents.write");
  transaction((tx) => {
    const { id: categoryId, name } = categoryNamed(actor.orgId, category);
    const distinct = new Set(order);
    const ids = [...order, ...(after === undefined ? [] : [after])];
    const rows = new Map(findDocuments(tx, actor, ids).map((row) => [row.id, row]));
    const existing = ids.flatMap((id) => rows.get(id) ?? []).filter((row) => row.categoryId === categoryId);
    const isRepeated = distinct.size < order.length || (after !== undefined && distinct.has(after));
    if (isRepeated || existing.length < ids.length) {
      const message = isRepeated
        ? "List each document only once"
        : `${name} has changed since you opened it. Reload the page and try again`;
      throw new AppError("invalid", `${message}.`, { fields: { order: [message] } });
    }
    moveDocumentsAfter(tx, existing.slice(0, order.length), existing[order.length]);
    append(tx, actor, {
      action: "document.reordered",
      resource: `category:${categoryId}`,
      details: { category: name, documents: order.length },
    });
  });
  publishChanges(actor, order);
}

/** As `reorderDocuments`. @returns the category's first documents in their new order */
export async function reorderCategory(actor: Actor, input: ReorderInput): Promise<DocumentPage> {
  reorderDocuments(actor, input);
  const limit = Math.max(PAGE_SIZE, input.order.length);
  return readPage(actor, { category: input.category, limit });
}

export function moveDocument(actor: Actor, id: string, { direction }: MoveInput): DocumentDetail {
  authorise(actor, "documents.write");
  const { hasMoved, detail } = transaction((tx) => {
    const { document, category } = requireDocument(tx, actor, id);
    assertMayChange(actor, document);
    const neighbour = findNeighbour(tx, actor, document, direction);
    if (neighbour) {
      if (direction === "up") moveDocumentsAfter(tx, [neighbour], document);
      else moveDocumentsAfter(tx, [document], neighbour);
      append(tx, actor, {
        action: "document.reordered",
        resource: `document:${id}`,
        details: documentDetails(document, { name: document.name, category }, { direction }),
      });
    }
    return { hasMoved: neighbour !== undefined, detail: detailOf(actor, requireDocument(tx, actor, id)) };
  });
  if (hasMoved) publishChanges(actor, [id]);
  return detail;
}

/** Neighbors to reposition on each side at first; doubled until there is room. */
const MIN_NEIGHBOURS = 4;

/**
 * Moves documents after `after`, or to the start. Without a gap it repositions as few neighbors as possible.
 */
function moveDocumentsAfter(tx: Db, ordered: readonly DocumentRow[], after?: DocumentRow): void {
  const [first] = ordered;
  if (!first) return;
  const moved = new Set(ordered.map(({ id }) => id));
  for (let neighbours = 0; ; neighbours = neighbours === 0 ? MIN_NEIGHBOURS : 2 * neighbours) {
    const limit = neighbours + 1 + ordered.length;
    const listed = (direction: "up" | "down") =>
      listNeighbours(tx, first, direction, after, limit)
        .filter(({ id }) => !moved.has(id))
        .slice(0, neighbours + 1);
    const [above, below] = [after ? listed("up") : [], listed("down")];
    const from = above[neighbours]?.orderIndex ?? -1;
    const to = below[neighbours]?.orderIndex;
    const all = [...above.slice(0, neighbours).reverse(), ...ordered, ...below.slice(0, neighbours)];
    const step = to === undefined ? POSITION_GAP : Math.floor((to - from) / (all.length + 1));
    // Repositioned neighbors get room for later moves.
    if (step < (neighbours === 0 ? 1 : 2)) continue;
    for (const [n, { id, orderIndex }] of all.entries()) {
      const position = from + step * (n + 1);
      if (position !== orderIndex) updateDocumentRow(tx, id, { orderIndex: position });
    }
    return;
  }
}
