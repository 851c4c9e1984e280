import { type Condition, permitted } from "./permitted";
import type { Reader } from "./reader";
import type { FoundPassage, SearchTask } from "./search-task";

/** A chunk with its document. */
export interface ReadChunk extends Omit<FoundPassage, "score" | "keyword" | "vector"> {
  position: number;
  hash: string;
}

type Row = Omit<ReadChunk, "headings"> & { headings: string };

/** Restricts to chunks with the quoted phrases. */
function quoted(table: string, required: readonly string[]): Condition {
  if (required.length === 0) return { sql: "1", values: [] };
  return {
    sql: `c.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`,
    values: [required.join(" AND ")],
  };
}

/** The permitted chunks among the ids, unordered. */
export function readChunks(
  reader: Reader,
  task: SearchTask,
  ids: readonly number[],
  { table, required }: { table: string; required: readonly string[] },
): ReadChunk[] {
  const may = permitted(task);
  const has = quoted(table, required);
  const rows = reader
    .statement(
      `SELECT c.id AS chunkId, d.id AS documentId, n.number AS version, d.name AS title, k.name AS category, d.type, d.source,
         d.created_at AS createdAt, c.text, c.headings, c.page, c.start, c."end", c.position, c.hash
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN documents d ON d.id = c.document_id
         JOIN document_categories k ON k.id = d.category_id JOIN document_versions n ON n.id = c.version_id
       WHERE ${may.sql} AND ${has.sql}`,
    )
    .all(JSON.stringify(ids), ...may.values, ...has.values) as Row[];
  return rows.map((row) => ({ ...row, headings: JSON.parse(row.headings) as string[] }));
}
