import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { listColleagues } from "~/features/members/member.service.server";
import { categoryNamed, ensureCategories } from "./categories.service.server";
import { mayManage, requireDocument } from "./document-access.server";
import type { DocumentFilter, DocumentQuery } from "./document-input.schema";
import type { DocumentDetail } from "./document-view.schema";
import {
  countByCategory,
  countByStatus,
  findShownVersion,
  type ListedRow,
  listDocumentRows,
  listProgress,
  listReaders,
  type Place,
} from "./documents.repo.server";
import type { CollectionStats, Document, DocumentCategory, DocumentProgress } from "./documents.schema";
import { lastReading } from "./last-reading.server";
import { toVersion } from "./version-view.server";

const iso = (time: number) => new Date(time).toISOString();

type Progress = { state: string; step: DocumentProgress["step"]; done: number; total: number };

function toDocument({ document, category }: ListedRow, progress: Progress | undefined): Document {
  const { id, name, status, error, visibility, type, source, orderIndex } = document;
  return {
    id,
    name,
    content: document.excerpt,
    status,
    error,
    chunks: document.chunkCount,
    visibility,
    progress: progress ? { ...progress, state: progress.state === "running" ? "running" : "queued" } : null,
    createdAt: iso(document.createdAt),
    updatedAt: iso(document.updatedAt),
    metadata: { category, orderIndex, type, source },
  };
}

function toDocuments(rows: ListedRow[]): Document[] {
  const progress = listProgress(
    db(),
    rows.map(({ document }) => document.id),
  );
  return rows.map((row) => toDocument(row, progress.get(row.document.id)));
}

interface DocumentPage {
  documents: Document[];
  /** The following page's cursor. */
  next?: string;
}

/** A page of the documents the actor sees: by category, then by their place in it, then by their creation. */
export function listDocuments(actor: Actor, query: DocumentQuery): DocumentPage {
  authorise(actor, "screens.read");
  const { category, limit, cursor, ...filter } = query;
  const after = cursor === undefined ? undefined : placeOf(cursor);
  const categories = (
    category === undefined ? ensureCategories(actor.orgId) : [categoryNamed(actor.orgId, category)]
  ).filter(({ position }) => after === undefined || position >= after.position);
  const rows: (ListedRow & { position: number })[] = [];
  for (const { id: categoryId, name, position } of categories) {
    const left = limit + 1 - rows.length;
    if (left === 0) break;
    const from = position === after?.position ? after : undefined;
    const found = listDocumentRows(db(), actor, { ...filter, categoryId }, left, from);
    rows.push(...found.map((document) => ({ document, category: name, position })));
  }
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    documents: toDocuments(page),
    ...(rows.length > page.length && last ? { next: cursorAt(last.position, last.document) } : {}),
  };
}

function cursorAt(position: number, { orderIndex, createdAt, id }: Place): string {
  return [...[position, orderIndex, createdAt].map((n) => n.toString(36)), id].join(".");
}

function placeOf(cursor: string): Place & { position: number } {
  const [position, orderIndex, createdAt] = cursor.split(".").map((part) => Number.parseInt(part, 36));
  const id = cursor.split(".")[3];
  if (!(position !== undefined && position >= 0 && orderIndex !== undefined && createdAt) || !id) {
    throw new AppError("invalid", "The cursor is not one of this list.", {
      fields: { cursor: ["Unknown cursor"] },
    });
  }
  return { position, orderIndex, createdAt, id };
}

export interface DocumentGroup extends DocumentPage {
  /** Its `documents` counts those the filter leaves. */
  category: DocumentCategory;
  /** The document before the first one, where the page begins in the middle. */
  after?: string;
}

/**
 * The documents as the screen groups them: each category with its count and its first documents. With
 * `filter.category` that group alone, from `cursor` on.
 */
export function groupDocuments(
  actor: Actor,
  query: DocumentFilter & { limit: number; cursor?: string | undefined },
): DocumentGroup[] {
  authorise(actor, "screens.read");
  const { category, limit, cursor, ...filter } = query;
  const counts = countByCategory(db(), actor, filter);
  const wanted = category === undefined ? undefined : categoryNamed(actor.orgId, category).id;
  return ensureCategories(actor.orgId)
    .filter(({ id }) => wanted === undefined || id === wanted)
    .map(({ id, name, fixed }) => {
      const documents = counts.get(id) ?? 0;
      const page = { ...filter, category: name, limit, ...(wanted ? { cursor } : {}) };
      return {
        category: { id, name, fixed, documents },
        ...(wanted && cursor ? { after: placeOf(cursor).id } : {}),
        ...(documents > 0 ? listDocuments(actor, page) : { documents: [] }),
      };
    });
}

/** @throws AppError `not_found` */
export function getDocument(actor: Actor, id: string): DocumentDetail {
  authorise(actor, "screens.read");
  return detailOf(actor, requireDocument(db(), actor, id));
}

/** What a document's own page and the API tell of it. */
export function detailOf(actor: Actor, row: ListedRow): DocumentDetail {
  const { document } = row;
  const version = findShownVersion(db(), document);
  const names = new Map(listColleagues(actor).map((person) => [person.id, person.name]));
  const person = (id: string) => ({ id, name: names.get(id) ?? "A former member" });
  const manages = mayManage(actor, document);
  return {
    ...toDocument(row, listProgress(db(), [document.id]).get(document.id)),
    version: version ? toVersion(version) : null,
    createdBy: person(document.createdBy),
    readers: manages ? listReaders(db(), document.id).map(person) : null,
    refreshEvery: document.refreshEvery,
    refreshAt: document.refreshAt === null ? null : iso(document.refreshAt),
    lastReading: document.type === "url" ? lastReading(db(), document.id) : null,
    mayManage: manages,
  };
}

/** Collection Stats: of what the actor sees. */
export function collectionStats(actor: Actor): CollectionStats {
  authorise(actor, "screens.read");
  const stats = { total: 0, ready: 0, processing: 0, failed: 0, chunks: 0 };
  for (const { status, n, chunks } of countByStatus(db(), actor)) {
    stats[status] += n;
    stats.total += n;
    stats.chunks += chunks;
  }
  return stats;
}
