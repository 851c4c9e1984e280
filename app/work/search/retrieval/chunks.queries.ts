import type { Reader, RetrievedPassage, SearchTask } from "./search-task";
import { statement } from "./statements";

export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** Limits a search to active versions of documents that the actor can view and the filters include. */
export function permitted({ orgId, userId, filters, folderId }: SearchTask): Condition {
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
  // A project's files are found in its conversations, and on their own pages.
  if (filters.documentId === undefined) add("(d.folder_id IS NULL OR d.folder_id = ?)", folderId ?? "");
  else add("d.id = ?", filters.documentId);
  return { sql: terms.join(" AND "), values };
}

export interface ReadChunk extends Omit<RetrievedPassage, "score" | "keyword" | "vector"> {
  position: number;
  hash: string;
}

type Row = Omit<ReadChunk, "headings"> & { headings: string };

const parseHeadings = (stored: string) => JSON.parse(stored) as string[];

export function readChunks(reader: Reader, task: SearchTask, ids: readonly number[]): ReadChunk[] {
  const may = permitted(task);
  const rows = statement(
    reader,
    `SELECT c.id AS chunkId, d.id AS documentId, n.number AS version, d.name AS title, k.name AS category, d.type, d.source,
         d.created_at AS createdAt, c.text, c.headings, c.page, c.start, c."end", c.position, c.hash, c.language
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN documents d ON d.id = c.document_id
         JOIN document_categories k ON k.id = d.category_id JOIN document_versions n ON n.id = c.version_id
       WHERE ${may.sql}`,
  ).all(JSON.stringify(ids), ...may.values) as Row[];
  return rows.map((row) => ({ ...row, headings: parseHeadings(row.headings) }));
}

/** Headings and text by id, without chunks that no longer exist. */
export function readTexts(reader: Reader, ids: readonly number[]): Map<number, string> {
  const rows = statement(
    reader,
    "SELECT c.id, c.text, c.headings FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value",
  ).all(JSON.stringify(ids)) as { id: number; text: string; headings: string }[];
  return new Map(rows.map(({ id, headings, text }) => [id, [...parseHeadings(headings), text].join("\n")]));
}

/** Those of the chunks that are in a language. */
export function listInLanguage(reader: Reader, ids: readonly number[], language: string): Set<number> {
  const rows = statement(
    reader,
    "SELECT c.id FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value WHERE c.language = ?",
  )
    .pluck()
    .all(JSON.stringify(ids), language);
  return new Set(rows as number[]);
}

function listPermittedAmong(reader: Reader, task: SearchTask, chunkIds: readonly number[]): number[] {
  const { sql, values } = permitted(task);
  return statement(
    reader,
    `SELECT c.id FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = c.document_id
     WHERE c.chunk_set_id = ? AND ${sql}`,
  )
    .pluck()
    .all(JSON.stringify(chunkIds), task.index.chunkSetId, ...values) as number[];
}

export const isFiltered = ({ filters }: SearchTask) =>
  Object.values(filters).some((value) => value !== undefined);

export function keepPermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
): Hit[] {
  const kept = new Set(
    listPermittedAmong(
      reader,
      task,
      hits.map(({ chunkId }) => chunkId),
    ),
  );
  return hits.filter(({ chunkId }) => kept.has(chunkId));
}

export function takePermitted<Hit extends { chunkId: number }>(
  reader: Reader,
  task: SearchTask,
  hits: readonly Hit[],
  limit: number,
): Hit[] {
  const permitted: Hit[] = [];
  for (
    let start = 0, size = limit;
    permitted.length < limit && start < hits.length;
    start += size, size *= 2
  ) {
    permitted.push(...keepPermitted(reader, task, hits.slice(start, start + size)));
  }
  return permitted.slice(0, limit);
}
