import type { Reader } from "./reader";
import { statement } from "./statements";

/** Weights of title, headings and text. */
const COLUMN_WEIGHTS = "2.0, 1.5, 1.0";

export interface KeywordHit {
  chunkId: number;
  bm25: number;
}

export function countMatches(reader: Reader, table: string, expression: string, max: number): number {
  return statement(reader, `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
    .pluck()
    .get(expression, max) as number;
}

/** Matches, best first. SQLite's sorter keeps only the limit; FTS5's keeps every row. */
export function rankMatches(reader: Reader, table: string, expression: string, limit: number): KeywordHit[] {
  return statement(
    reader,
    `SELECT rowid AS chunkId, -bm25(${table}, ${COLUMN_WEIGHTS}) AS bm25 FROM ${table} WHERE ${table} MATCH ?
       ORDER BY bm25 DESC, rowid LIMIT ?`,
  ).all(expression, limit) as KeywordHit[];
}
