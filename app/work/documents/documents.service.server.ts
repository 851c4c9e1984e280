import { z } from "zod";
import type { Actor } from "~/core/actor";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { db } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import type { FindWord } from "~/core/language/find-words.shared";
import { readInProcess } from "~/core/read-pool.server";
import { authorName } from "~/platform/audit/actor-name.shared";
import { authorise } from "~/platform/rights/authorization.server";
import { namesOfActors } from "~/team/members/member-names.service.server";
import { Facts } from "~/work/extraction/document.schema";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { mayManage, requireDocument } from "./access/document-access.server";
import { listPossibleReaders } from "./access/document-readers.service.server";
import { categoryNamed, ensureCategories } from "./categories/categories.service.server";
import type { DocumentFilter, DocumentQuery } from "./document-input.schema";
import {
  countByCategory,
  countDocuments,
  countRetryable,
  type FoundPosition,
  findPositions,
  listAt,
} from "./document-lists.server";
import { type CategoryRow, listReaders } from "./document-rows.repo.server";
import {
  countVisibleToAll,
  type DocumentRow,
  documentsByNameQuery,
  findNewestReady,
  hasDocuments,
  type ListedRow,
  listFiles,
  listInnerDocuments,
  listNewest,
  listWithoutVectors,
} from "./documents.repo.server";
import type {
  CollectionStats,
  Document,
  DocumentCategory,
  DocumentDetail,
  DocumentSort,
  LastRefresh,
  SameName,
} from "./documents.schema";
import { lastJobOf } from "./jobs/job";
import { listProgress, listRetryable } from "./jobs/jobs.repo.server";
import { findOrigin } from "./sources/sources.repo.server";
import { toVersion } from "./versions/document-parts.service.server";
import { findShownVersion, listVersionFacts } from "./versions/versions.repo.server";

function lastRefresh(document: DocumentRow): LastRefresh | null {
  const last = lastJobOf(document);
  if (!last) return null;
  const { state, at, outcome = "unchanged", error = null } = last;
  return state === "done"
    ? { at: isoTime(at), outcome, error: null }
    : { at: isoTime(at), outcome: state, error: state === "failed" ? error : null };
}

/** The older documents of the same file name whose new versions they may become, as far as the actor may decide it. */
export function findOlder(actor: Actor, rows: readonly DocumentRow[]): (document: DocumentRow) => SameName {
  const ids = rows.flatMap(({ sameNameAs }) => sameNameAs ?? []);
  const older = new Map(
    (ids.length > 0 ? findDocuments(db(), actor, ids) : [])
      .filter((row) => mayManage(actor, row))
      .map(({ id, name }) => [id, { id, name }]),
  );
  return (document) => (mayManage(actor, document) && older.get(document.sameNameAs ?? "")) || null;
}

function toDocuments(actor: Actor, rows: readonly ListedRow[]): Document[] {
  const ids = rows.map(({ document }) => document.id);
  const [progress, retryable] = [listProgress(db(), ids), listRetryable(db(), ids)];
  const versions = listVersionFacts(
    db(),
    rows.flatMap(({ document }) => document.versionId ?? []),
  );
  const olderOf = findOlder(
    actor,
    rows.map(({ document }) => document),
  );
  return rows.map(({ document, category }) => {
    const { id, name, status, error, visibility, type, source, orderIndex } = document;
    const version = versions.get(document.versionId ?? "");
    return {
      id,
      name,
      content: document.excerpt,
      status,
      error,
      canRetry: retryable.has(id),
      mayManage: mayManage(actor, document),
      chunks: document.chunkCount,
      size: version?.size ?? null,
      notes: Facts.parse(version?.facts ?? {}).notes ?? [],
      visibility,
      progress: progress.get(id) ?? null,
      sameNameAs: olderOf(document),
      createdAt: isoTime(document.createdAt),
      updatedAt: isoTime(document.updatedAt),
      metadata: { category, orderIndex, type, source },
    };
  });
}

const keys = keyset(z.object({ position: KeyNumber, orderIndex: z.int(), createdAt: KeyNumber, id: KeyId }));

export interface DocumentPage {
  documents: Document[];
  next?: string;
}

export async function listDocuments(actor: Actor, query: DocumentQuery): Promise<DocumentPage> {
  authorise(actor, "screens.read");
  return readPage(actor, query);
}

export async function readPage(actor: Actor, query: DocumentQuery): Promise<DocumentPage> {
  const { category, limit, cursor, ...filter } = query;
  const after = keys.decode(cursor);
  const categories = (
    category === undefined ? ensureCategories(actor.orgId) : [categoryNamed(actor.orgId, category)]
  ).filter(({ position }) => after === undefined || position >= after.position);
  const maxRows = limit + 1;
  const start = categories[0]?.position === after?.position ? after : undefined;
  const positions = await findPositions(actor, filter, categories, { limit: maxRows, after: start, maxRows });
  const { rows, ...next } = pageOf(positions, limit, categories);
  return { documents: toDocuments(actor, listAt(actor, rows, categories)), ...next };
}

function pageOf(positions: readonly FoundPosition[], limit: number, categories: readonly CategoryRow[]) {
  return keys.page(positions, limit, ({ categoryId, orderIndex, createdAt, id }) => ({
    position: categories.find((category) => category.id === categoryId)?.position ?? 0,
    orderIndex,
    createdAt,
    id,
  }));
}

export interface DocumentGroup extends DocumentPage {
  category: DocumentCategory;
  after?: string;
}

/**
 * Documents grouped by category with counts. With `filter.category`, that group from `cursor` on.
 * @param query.sort in place of the order that the team gave them
 */
export async function groupDocuments(
  actor: Actor,
  query: DocumentFilter & { limit: number; cursor?: string | undefined; sort?: DocumentSort },
): Promise<DocumentGroup[]> {
  authorise(actor, "screens.read");
  const { category, limit, cursor, sort, ...filter } = query;
  const after = category === undefined ? undefined : keys.decode(cursor);
  const categories =
    category === undefined ? ensureCategories(actor.orgId) : [categoryNamed(actor.orgId, category)];
  const counts = await countByCategory(actor, filter);
  const filled = categories.filter(({ id }) => counts.has(id));
  const results = await findPositions(actor, filter, filled, { limit: limit + 1, after, sort });
  const pages = categories.map((row) => {
    const own = results.filter(({ categoryId }) => categoryId === row.id);
    const { rows: positions, ...next } = pageOf(own, limit, [row]);
    return { row, positions, next };
  });
  const rows = listAt(
    actor,
    pages.flatMap(({ positions }) => positions),
    categories,
  );
  const documents = new Map(toDocuments(actor, rows).map((document) => [document.id, document]));
  return pages.map(({ row: { id, name, fixed }, positions, next }) => ({
    category: { id, name, fixed, documents: counts.get(id) ?? 0 },
    ...(after ? { after: after.id } : {}),
    documents: positions.flatMap((position) => documents.get(position.id) ?? []),
    ...next,
  }));
}

export function findWithoutVectors(actor: Actor, groups: readonly DocumentGroup[]): string[] {
  authorise(actor, "screens.read");
  const ids = groups.flatMap(({ documents }) => documents.map(({ id }) => id));
  return listWithoutVectors(db(), ids);
}

/** As far as the actor can view them. */
export function listFolderDocuments(actor: Actor, folderId: string, limit: number): Document[] {
  authorise(actor, "screens.read");
  return toDocuments(actor, listFiles(db(), actor, folderId, limit));
}

const MAX_ATTACHMENTS = 200;

export function getDocument(actor: Actor, id: string): DocumentDetail {
  authorise(actor, "screens.read");
  return detailOf(actor, requireDocument(db(), actor, id));
}

export function detailOf(actor: Actor, row: ListedRow): DocumentDetail {
  const { document } = row;
  const version = findShownVersion(db(), document);
  const known = new Map(listPossibleReaders(actor).map((reader) => [reader.id, reader]));
  const reader = (id: string) =>
    known.get(id) ?? { id, name: authorName({ userId: id }, namesOfActors(actor)), kind: "member" as const };
  const { id: creator, name } = reader(document.createdBy);
  const [view] = toDocuments(actor, [row]);
  const [parent] = document.parentId ? findDocuments(db(), actor, [document.parentId]) : [];
  if (!view) throw new Error("No view for the document.");
  return {
    ...view,
    version: version ? toVersion(version) : null,
    createdBy: { id: creator, name },
    readers: view.mayManage ? listReaders(db(), document.id).map(reader) : null,
    parent: parent ? { id: parent.id, name: parent.name } : null,
    origin: findOrigin(db(), document.id) ?? null,
    attachments: listInnerDocuments(db(), actor, document.id, MAX_ATTACHMENTS),
    refreshEvery: document.refreshEvery,
    refreshAt: document.refreshAt === null ? null : isoTime(document.refreshAt),
    lastRefresh: document.type === "url" ? lastRefresh(document) : null,
  };
}

export function areVisibleToAll({ orgId }: Pick<Actor, "orgId">, ids: readonly string[]): boolean {
  return countVisibleToAll(db(), orgId, ids) === new Set(ids).size;
}

export function areVisibleTo(actor: Pick<Actor, "orgId" | "userId">, ids: readonly string[]): boolean {
  return findDocuments(db(), actor, ids).length === new Set(ids).size;
}

export async function collectionStats(actor: Actor): Promise<CollectionStats> {
  authorise(actor, "screens.read");
  const stats = { total: 0, ready: 0, processing: 0, failed: 0, chunks: 0, retryable: 0 };
  for (const { status, documents, chunks } of await countDocuments(actor)) {
    stats[status] += documents;
    stats.total += documents;
    stats.chunks += chunks;
  }
  if (stats.failed > 0) stats.retryable = await countRetryable(actor);
  return stats;
}

type NewestDocument = Pick<Document, "id" | "name" | "status" | "createdAt">;

export function listNewestDocuments(actor: Actor, limit: number): NewestDocument[] {
  authorise(actor, "screens.read");
  return listNewest(db(), actor, limit).map((row) => ({ ...row, createdAt: isoTime(row.createdAt) }));
}

export const hasAnyDocument = ({ orgId }: Pick<Actor, "orgId">): boolean => hasDocuments(db(), orgId);

export function newestDocumentName(actor: Actor): string | undefined {
  authorise(actor, "screens.read");
  return findNewestReady(db(), actor)?.name;
}

const NameRow = z.tuple([z.string(), z.string()]);

export async function findDocumentsByName(
  actor: Actor,
  words: readonly FindWord[],
  limit: number,
): Promise<{ id: string; name: string }[]> {
  authorise(actor, "screens.read");
  const rows = (await readInProcess([documentsByNameQuery(db(), actor, words, limit)])).flat();
  return rows.map((row) => {
    const [id, name] = NameRow.parse(row);
    return { id, name };
  });
}
