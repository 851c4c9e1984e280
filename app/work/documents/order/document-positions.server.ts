import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess, readInThread } from "~/core/read-pool.server";
import { findDocuments } from "~/work/index/indexed-documents.repo.server";
import { type ListedRow, type ListPosition, positionQueries, type RowFilter } from "../documents.repo.server";

const Row = z.tuple([z.number(), z.number(), z.string()]);

export interface FoundPosition extends ListPosition {
  categoryId: string;
}

interface Category {
  id: string;
  name: string;
}

interface PositionQuery {
  filter: RowFilter;
  categories: readonly Category[];
  limit: number;
  after?: ListPosition | undefined;
  maxRows?: number;
}

export async function findPositions(actor: Actor, query: PositionQuery): Promise<FoundPosition[]> {
  const { filter, categories, limit, after, maxRows } = query;
  const ids = categories.map(({ id }) => id);
  const queries = [
    ...positionQueries(db(), actor, filter, ids.slice(0, 1), limit, after),
    ...positionQueries(db(), actor, filter, ids.slice(1), limit),
  ];
  const options = maxRows === undefined ? {} : { maxRows: maxRows };
  const positions = await (filter.search
    ? readInProcess(queries, options)
    : readInThread("screen", queries, options));
  return positions.flatMap((rows, n) =>
    rows.map((row) => {
      const [orderIndex, createdAt, id] = Row.parse(row);
      return { categoryId: ids[n] ?? "", orderIndex, createdAt, id };
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
  const rows = new Map(
    findDocuments(
      db(),
      actor,
      positions.map(({ id }) => id),
    ).map((row) => [row.id, row]),
  );
  return positions.flatMap(({ id, categoryId }) => {
    const document = rows.get(id);
    return document ? [{ document, category: names.get(categoryId) ?? "" }] : [];
  });
}
