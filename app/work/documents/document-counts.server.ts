import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess, readInThread } from "~/core/read-pool.server";
import { countQueries, type RowFilter, visibilityConditions } from "./documents.repo.server";
import { type DocumentStatus, DocumentStatus as Status } from "./documents.schema";
import { retryableQueries } from "./jobs/retryable.repo.server";

const Row = z.tuple([z.string(), Status, z.number(), z.number().nullable()]);

interface Count {
  categoryId: string;
  status: DocumentStatus;
  documents: number;
  chunks: number;
}

/** Visible documents by category and status; a combination may occur twice. */
export async function countDocuments(actor: Actor, filter: RowFilter = {}): Promise<Count[]> {
  const queries = countQueries(db(), actor, filter);
  const rows = (await (filter.search ? readInProcess(queries) : readInThread("screen", queries))).flat();
  return rows.map((row) => {
    const [categoryId, status, documents, chunks] = Row.parse(row);
    return { categoryId, status, documents, chunks: chunks ?? 0 };
  });
}

export async function countRetryable(actor: Actor): Promise<number> {
  const rows = (await readInThread("screen", retryableQueries(db(), visibilityConditions(actor)))).flat();
  return rows.reduce<number>((sum, row) => sum + z.tuple([z.number()]).parse(row)[0], 0);
}

export async function countByCategory(actor: Actor, filter?: RowFilter): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { categoryId, documents } of await countDocuments(actor, filter))
    counts.set(categoryId, (counts.get(categoryId) ?? 0) + documents);
  return counts;
}
