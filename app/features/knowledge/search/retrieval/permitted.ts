import type { Reader } from "./reader";
import type { SearchTask } from "./search-task";

/** An SQL condition with parameters. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** Limits a search to active versions of documents that the actor can view and the filters include. */
export function permitted({ orgId, userId, filters }: SearchTask): Condition {
  const terms = [
    "c.version_id = d.version_id",
    "d.org_id = ?",
    "d.deleted_at IS NULL",
    "EXISTS (SELECT 1 FROM document_viewers v WHERE v.document_id = d.id AND v.user_id IN ('*', ?))",
  ];
  const values: (string | number)[] = [orgId, userId];
  const add = (sql: string, value: string | number | undefined) => {
    if (value === undefined) return;
    terms.push(sql);
    values.push(value);
  };
  add(
    "d.category_id IN (SELECT id FROM document_categories k WHERE k.org_id = d.org_id AND k.name = ?)",
    filters.category,
  );
  add("d.type = ?", filters.type);
  add("d.created_at >= ?", filters.from);
  add("d.created_at < ?", filters.to);
  add("d.id = ?", filters.documentId);
  return { sql: terms.join(" AND "), values };
}

export const isFiltered = ({ filters }: SearchTask) =>
  Object.values(filters).some((value) => value !== undefined);

export function keepPermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
): Hit[] {
  const { sql, values } = permitted(task);
  const ids = reader
    .statement(
      `SELECT c.id FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN documents d ON d.id = c.document_id
       WHERE c.chunk_set_id = ? AND ${sql}`,
    )
    .pluck()
    .all(JSON.stringify(hits.map(({ chunkId }) => chunkId)), task.index.chunkSetId, ...values) as number[];
  const kept = new Set(ids);
  return hits.filter(({ chunkId }) => kept.has(chunkId));
}

/** The first permitted hits, checked in order until there are enough. */
export function takePermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
  limit: number,
): Hit[] {
  const found: Hit[] = [];
  for (let start = 0, size = limit; found.length < limit && start < hits.length; start += size, size *= 2) {
    found.push(...keepPermitted(reader, task, hits.slice(start, start + size)));
  }
  return found.slice(0, limit);
}
