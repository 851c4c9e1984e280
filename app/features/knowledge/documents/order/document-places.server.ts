import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess, readInThread } from "~/core/read-pool.server";
import {
  findDocuments,
  type ListedRow,
  type Place,
  placeQueries,
  type RowFilter,
} from "../documents.repo.server";

const Row = z.tuple([z.number(), z.number(), z.string()]);

export interface FoundPlace extends Place {
  categoryId: string;
}

interface Category {
  id: string;
  name: string;
}

interface Wanted {
  filter: RowFilter;
  /** In their order. */
  categories: readonly Category[];
  /** Places of each category at most. */
  limit: number;
  /** The place in the first category after which it begins. */
  after?: Place | undefined;
  /** Places in all after which the categories that are left aren't looked at. */
  enough?: number;
}

/** The places of the documents that the actor sees, by category, then by their place in it. */
export async function findPlaces(actor: Actor, wanted: Wanted): Promise<FoundPlace[]> {
  const { filter, categories, limit, after, enough } = wanted;
  const ids = categories.map(({ id }) => id);
  const queries = [
    ...placeQueries(db(), actor, filter, ids.slice(0, 1), limit, after),
    ...placeQueries(db(), actor, filter, ids.slice(1), limit),
  ];
  const options = enough === undefined ? {} : { enough };
  const found = await (filter.search
    ? readInProcess(queries, options)
    : readInThread("screen", queries, options));
  return found.flatMap((rows, n) =>
    rows.map((row) => {
      const [orderIndex, createdAt, id] = Row.parse(row);
      return { categoryId: ids[n] ?? "", orderIndex, createdAt, id };
    }),
  );
}

/** The documents at some places. One that was deleted or hidden since isn't among them. */
export function listAt(
  actor: Actor,
  places: readonly FoundPlace[],
  categories: readonly Category[],
): ListedRow[] {
  if (places.length === 0) return [];
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  const rows = new Map(
    findDocuments(
      db(),
      actor,
      places.map(({ id }) => id),
    ).map((row) => [row.id, row]),
  );
  return places.flatMap(({ id, categoryId }) => {
    const document = rows.get(id);
    return document ? [{ document, category: names.get(categoryId) ?? "" }] : [];
  });
}
