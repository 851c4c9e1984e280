import {
  and,
  asc,
  count,
  desc,
  eq,
  fillPlaceholders,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  type SQL,
  type SQLWrapper,
  sql,
  sum,
} from "drizzle-orm";
import { containsWords, type Db, nameHasWords, preparedHas } from "~/core/db.server";
import { searchedWords } from "~/core/language/find-terms";
import type { FindWord } from "~/core/language/find-words.shared";
import { documentCategories, documents, isSharedWith, isVisibleTo, subjectsOf } from "~db/schema";
import type { DocumentSort } from "./documents.schema";

export type DocumentRow = typeof documents.$inferSelect;
export interface ListedRow {
  document: DocumentRow;
  category: string;
}
export interface Viewer {
  orgId: string;
  userId: string;
}
export interface ListPosition {
  orderIndex: number;
  createdAt: number;
  id: string;
}
export interface RowFilter {
  status?: DocumentRow["status"] | undefined;
  search?: string | undefined;
  batch?: string | undefined;
}

function visibleTo({ orgId, userId }: Viewer, org: SQLWrapper = documents.orgId): SQL | undefined {
  return and(sql`${org} = ${orgId}`, isVisibleTo(userId, documents.id));
}

/** What lists of all documents have: a project's files are listed there. */
const listedFor = (viewer: Viewer, org?: SQLWrapper): SQL | undefined =>
  and(visibleTo(viewer, org), isNull(documents.folderId));

function matching({ status, search, batch }: RowFilter): SQL | undefined {
  return and(
    status ? eq(documents.status, status) : undefined,
    batch ? eq(documents.batchId, batch) : undefined,
    search ? containsWords(searchedWords(search), documents.name, documents.source) : undefined,
  );
}

/** A query for a read thread, since its cost grows with the documents. */
interface Compiled {
  sql: string;
  params: unknown[];
}

/** Sorted in their category at each page, of which a list has few. Letters with accents come after all others. */
const SORTS: Record<DocumentSort, SQL[]> = {
  name: [sql`${documents.name} collate nocase`, asc(documents.id)],
  newest: [desc(documents.createdAt), desc(documents.id)],
  changed: [desc(documents.updatedAt), desc(documents.id)],
};

/** Queries of document positions by category, in index order unless sorted, so that a page costs a page. */
export function positionQueries(
  tx: Db,
  viewer: Viewer,
  filter: RowFilter,
  categoryIds: readonly string[],
  limit: number,
  { after, sort }: { after?: ListPosition | undefined; sort?: DocumentSort | undefined } = {},
): Compiled[] {
  const { sql: statement, params } = tx
    .select(positionColumns)
    .from(documents)
    .where(
      and(
        listedFor(viewer),
        eq(documents.categoryId, sql.placeholder("categoryId")),
        matching(filter),
        sort ? undefined : after && gt(rowPosition, positionOf(after)),
      ),
    )
    .orderBy(
      ...(sort ? SORTS[sort] : [asc(documents.orderIndex), asc(documents.createdAt), asc(documents.id)]),
    )
    .limit(limit)
    .offset(sort && after ? after.orderIndex : 0)
    .toSQL();
  return categoryIds.map((categoryId) => ({
    sql: statement,
    params: fillPlaceholders(params, { categoryId }),
  }));
}

/**
 * The rule of the `document_viewers` view as two disjoint conditions, so that counts read the covering index
 * `documents_counts`: ten times faster than the view. Without projects' files.
 */
export function visibilityConditions({ orgId, userId }: Viewer): SQL[] {
  const { visibility, createdBy, id, deletedAt, folderId } = documents;
  return [
    sql`${documents.orgId} = ${orgId} and ${visibility} = 'organisation' and ${deletedAt} is null`,
    sql`${documents.orgId} = ${orgId} and ${visibility} = 'named' and ${deletedAt} is null
      and ${folderId} is null
      and (${createdBy} = ${userId} or ${isSharedWith(userId, id)})`,
  ];
}

/** Queries of visible documents and chunks: category, status, documents, chunks. */
export function countQueries(tx: Db, viewer: Viewer, filter: RowFilter = {}): Compiled[] {
  const { categoryId, status, chunkCount } = documents;
  return visibilityConditions(viewer).map((visible) =>
    tx
      .select({ categoryId, status, documents: count(), chunks: sum(chunkCount) })
      .from(documents)
      .where(and(visible, matching(filter)))
      .groupBy(categoryId, status)
      .toSQL(),
  );
}

export function countInCategory(tx: Db, viewer: Viewer, categoryId: string): number {
  const counts = visibilityConditions(viewer).map((visible) =>
    tx
      .select({ n: count() })
      .from(documents)
      .where(and(visible, eq(documents.categoryId, categoryId)))
      .get(),
  );
  return counts.reduce((all, half) => all + (half?.n ?? 0), 0);
}

export function documentsByNameQuery(
  tx: Db,
  viewer: Viewer,
  words: readonly FindWord[],
  limit: number,
): Compiled {
  const hasWords = nameHasWords(
    words,
    documents.name,
    (query) => sql`${documents.id} in ${subjectsOf("document", "find_names", query)}`,
  );
  return tx
    .select({ id: documents.id, name: documents.name })
    .from(documents)
    .where(and(visibleTo(viewer), hasWords))
    .orderBy(desc(documents.updatedAt), desc(documents.id))
    .limit(limit)
    .toSQL();
}

export function findNewestReady(tx: Db, viewer: Viewer): { id: string; name: string } | undefined {
  return tx
    .select({ id: documents.id, name: documents.name })
    .from(documents)
    .where(and(eq(sql`+${documents.status}`, "ready"), listedFor(viewer, sql`+${documents.orgId}`)))
    .orderBy(desc(documents.id))
    .limit(1)
    .get();
}

export function countVisibleToAll(tx: Db, orgId: string, ids: readonly string[]): number {
  const { visibility, deletedAt } = documents;
  const open = and(inArray(documents.id, [...ids]), eq(visibility, "organisation"), isNull(deletedAt));
  return (
    tx
      .select({ n: count() })
      .from(documents)
      .where(and(open, eq(documents.orgId, orgId)))
      .get()?.n ?? 0
  );
}

export function findDocument(tx: Db, viewer: Viewer, id: string): ListedRow | undefined {
  return tx
    .select({ document: documents, category: documentCategories.name })
    .from(documents)
    .innerJoin(documentCategories, eq(documentCategories.id, documents.categoryId))
    .where(and(eq(documents.id, id), visibleTo(viewer)))
    .get();
}

const positionColumns = {
  orderIndex: documents.orderIndex,
  createdAt: documents.createdAt,
  id: documents.id,
};
const rowPosition = sql`(${documents.orderIndex}, ${documents.createdAt}, ${documents.id})`;
const positionOf = ({ orderIndex, createdAt, id }: ListPosition) => sql`(${orderIndex}, ${createdAt}, ${id})`;

/**
 * Documents of a category, nearest first: those after a position, or those before it with its own. Includes hidden and
 * deleted ones.
 */
export function listNeighbours(
  tx: Db,
  { orgId, categoryId }: Pick<DocumentRow, "orgId" | "categoryId">,
  direction: "up" | "down",
  position: ListPosition | undefined,
  limit: number,
): ListPosition[] {
  const [order, isBeyond] = direction === "up" ? ([desc, lte] as const) : ([asc, gt] as const);
  return tx
    .select(positionColumns)
    .from(documents)
    .where(
      and(
        eq(documents.orgId, orgId),
        eq(documents.categoryId, categoryId),
        position && isBeyond(rowPosition, positionOf(position)),
      ),
    )
    .orderBy(order(documents.orderIndex), order(documents.createdAt), order(documents.id))
    .limit(limit)
    .all();
}

export function findNeighbour(
  tx: Db,
  viewer: Viewer,
  row: DocumentRow,
  direction: "up" | "down",
): DocumentRow | undefined {
  const [order, isBeyond] = direction === "up" ? ([desc, lt] as const) : ([asc, gt] as const);
  return tx
    .select()
    .from(documents)
    .where(
      and(
        listedFor(viewer),
        eq(documents.categoryId, row.categoryId),
        isBeyond(rowPosition, positionOf(row)),
      ),
    )
    .orderBy(order(documents.orderIndex), order(documents.createdAt), order(documents.id))
    .limit(1)
    .get();
}

export function listNewest(tx: Db, viewer: Viewer, limit: number) {
  return tx
    .select({
      id: documents.id,
      name: documents.name,
      status: documents.status,
      createdAt: documents.createdAt,
    })
    .from(documents)
    .where(listedFor(viewer, sql`+${documents.orgId}`))
    .orderBy(desc(documents.id))
    .limit(limit)
    .all();
}

/** A project's files, the last added first. */
export function listFiles(tx: Db, viewer: Viewer, folderId: string, limit: number): ListedRow[] {
  return tx
    .select({ document: documents, category: documentCategories.name })
    .from(documents)
    .innerJoin(documentCategories, eq(documentCategories.id, documents.categoryId))
    .where(and(eq(documents.folderId, folderId), visibleTo(viewer, sql`+${documents.orgId}`)))
    .orderBy(desc(documents.id))
    .limit(limit)
    .all();
}

export function listInnerDocuments(
  tx: Db,
  viewer: Viewer,
  parentId: string,
  limit: number,
): { id: string; name: string }[] {
  return tx
    .select({ id: documents.id, name: documents.name })
    .from(documents)
    .where(and(eq(documents.parentId, parentId), visibleTo(viewer, sql`+${documents.orgId}`)))
    .orderBy(asc(documents.id))
    .limit(limit)
    .all();
}

/** Visible documents of a batch that may be new versions of older ones. */
export function listSameNames(tx: Db, viewer: Viewer, batchId: string, limit: number): DocumentRow[] {
  const undecided = sql`${documents.sameNameAs} is not null`;
  return tx
    .select()
    .from(documents)
    .where(and(eq(documents.batchId, batchId), undecided, visibleTo(viewer, sql`+${documents.orgId}`)))
    .limit(limit)
    .all();
}

/** Documents whose last ingestion ended without embeddings. */
export function listWithoutVectors(tx: Db, ids: readonly string[]): string[] {
  const wordsOnly = sql`${documents.lastJob} ->> '$.wordsOnly'`;
  const without = and(inArray(documents.id, [...ids]), wordsOnly);
  const rows = tx.select({ id: documents.id }).from(documents).where(without).all();
  return rows.map(({ id }) => id);
}

/** Regardless of visibility. */
export const hasDocuments = preparedHas(documents, "orgId");

/** Whether the last processing failed; a document with an earlier version stays ready. */
export function hasFailed({ status, error }: Pick<DocumentRow, "status" | "error">): boolean {
  return status === "failed" || error !== null;
}
