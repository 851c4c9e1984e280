import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess, readInThread } from "~/core/read-pool.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import type { CategoryRow } from "./document-rows.repo.server";
import {
  countQueries,
  type ListedRow,
  type ListPosition,
  positionQueries,
  type RowFilter,
  visibilityConditions,
} from "./documents.repo.server";
import { type DocumentSort, DocumentStatus } from "./documents.schema";
import { retryableQueries } from "./jobs/jobs.repo.server";

const CountRow = z.tuple([z.string(), DocumentStatus, z.number(), z.number().nullable()]);

type Queries = Parameters<typeof readInProcess>[0];

/** A text search may take long, and only a process can be stopped. */
const read = (queries: Queries, { search }: RowFilter, options = {}) =>
  search ? readInProcess(queries, options) : readInThread("screen", queries, options);

/** Visible documents by category and status; a combination may occur twice. */
export async function countDocuments(actor: Actor, filter: RowFilter = {}) {
  const queries = countQueries(db(), actor, filter);
  const rows = (await read(queries, filter)).flat();
  return rows.map((row) => {
    const [categoryId, status, documents, chunks] = CountRow.parse(row);
    return { categoryId, status, documents, chunks: chunks ?? 0 };
  });
}

export async function countRetryable(actor: Actor): Promise<number> {
  const rows = (await read(retryableQueries(db(), visibilityConditions(actor)), {})).flat();
  return rows.reduce<number>((sum, row) => sum + z.tuple([z.number()]).parse(row)[0], 0);
}

export async function countByCategory(actor: Actor, filter?: RowFilter): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { categoryId, documents } of await countDocuments(actor, filter))
    counts.set(categoryId, (counts.get(categoryId) ?? 0) + documents);
  return counts;
}

const PositionRow = z.tuple([z.number(), z.number(), z.string()]);

export interface FoundPosition extends ListPosition {
  categoryId: string;
}

type Category = Pick<CategoryRow, "id" | "name">;

interface PositionOptions {
  limit: number;
  /** Applies to the first category. */
  after?: ListPosition | undefined;
  sort?: DocumentSort | undefined;
  maxRows?: number;
}

/** Of a sorted list `orderIndex` is the number of rows up to this one. */
export async function findPositions(
  actor: Actor,
  filter: RowFilter,
  categories: readonly Category[],
  { limit, after, sort, ...options }: PositionOptions,
): Promise<FoundPosition[]> {
  const ids = categories.map(({ id }) => id);
  const queries = [
    ...positionQueries(db(), actor, filter, ids.slice(0, 1), limit, { after, sort }),
    ...positionQueries(db(), actor, filter, ids.slice(1), limit, { sort }),
  ];
  const positions = await read(queries, filter, options);
  return positions.flatMap((rows, n) =>
    rows.map((row, at) => {
      const [orderIndex, createdAt, id] = PositionRow.parse(row);
      const before = n === 0 ? (after?.orderIndex ?? 0) : 0;
      return { categoryId: ids[n] ?? "", orderIndex: sort ? before + at + 1 : orderIndex, createdAt, id };
    }),
  );
}

export function listAt(
  actor: Actor,
  positions: readonly FoundPosition[],
  categories: readonly Category[],
): ListedRow[] {
  if (positions.length === 0) return [];
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  const ids = positions.map(({ id }) => id);
  const rows = new Map(findDocuments(db(), actor, ids).map((row) => [row.id, row]));
  return positions.flatMap(({ id, categoryId }) => {
    const document = rows.get(id);
    return document ? [{ document, category: names.get(categoryId) ?? "" }] : [];
  });
}
