import type { QueryTerms } from "~/core/language/terms";
import { termsTable } from "~/work/index/stores/tables";
import { isFiltered, takePermitted } from "./chunks.queries";
import type { Reader, SearchTask } from "./search-task";
import { statement } from "./statements";

/** Weights of title, headings and text. */
const COLUMN_WEIGHTS = "2.0, 1.5, 1.0";

interface KeywordHit {
  chunkId: number;
  bm25: number;
}

function countMatches(reader: Reader, table: string, expression: string, max: number): number {
  return statement(reader, `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
    .pluck()
    .get(expression, max) as number;
}

/** Matches, best first. SQLite's sorter keeps only the limit; FTS5's keeps every row. */
function rankMatches(reader: Reader, table: string, expression: string, limit: number): KeywordHit[] {
  return statement(
    reader,
    `SELECT rowid AS chunkId, -bm25(${table}, ${COLUMN_WEIGHTS}) AS bm25 FROM ${table} WHERE ${table} MATCH ?
       ORDER BY bm25 DESC, rowid LIMIT ?`,
  ).all(expression, limit) as KeywordHit[];
}

const RANKED = 5000;
/** Initial hits per requested passage, without and with a filter. */
const OVERSAMPLING = 4;
const OVERSAMPLING_FILTERED = 16;

export interface KeywordHits {
  hits: KeywordHit[];
  /** Share of the query's words that don't occur in the index, 0 to 1. */
  unknown: number;
}

const anyOf = (expressions: readonly string[]) => expressions.join(" OR ");

/**
 * Ranking costs ten times as much as matching, so with frequent words only chunks with a rarer word are
 * ranked. (MaxScore, in Turtle and Flood, Query evaluation: strategies and optimizations, 1995.)
 */
function prune(words: readonly string[], counts: ReadonlyMap<string, number>): string {
  const rarest = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  const rare = new Set<string>();
  let ranked = 0;
  for (const [word, count] of rarest) {
    if (rare.size > 0 && ranked + count > RANKED) break;
    rare.add(word);
    ranked += count;
  }
  const known = words.filter((word) => counts.get(word) !== 0);
  const frequent = known.filter((word) => !rare.has(word));
  if (frequent.length === 0) return anyOf(known);
  const rareWords = known.filter((word) => rare.has(word));
  return `(${anyOf(rareWords)}) AND (${anyOf([...rareWords, ...frequent, ...frequent])})`;
}

function countChunks(reader: Reader, table: string, words: readonly string[]): Map<string, number> {
  const upTo = (max: number) => new Map(words.map((word) => [word, countMatches(reader, table, word, max)]));
  const counts = upTo(RANKED + 1);
  const isRare = (count: number) => count > 0 && count <= RANKED;
  return [...counts.values()].some(isRare) ? counts : upTo(-1);
}

function rankPermitted(reader: Reader, task: SearchTask, expression: string, limit: number): KeywordHit[] {
  const table = termsTable(task.index.chunkSetId);
  const few = limit * (isFiltered(task) ? OVERSAMPLING_FILTERED : OVERSAMPLING);
  const first = rankMatches(reader, table, expression, few);
  const hits = takePermitted(reader, task, first, limit);
  if (hits.length === limit || first.length < few) return hits;
  return takePermitted(reader, task, rankMatches(reader, table, expression, -1), limit);
}

export function searchKeywords(
  reader: Reader,
  task: SearchTask,
  terms: QueryTerms,
  limit: number,
): KeywordHits {
  const table = termsTable(task.index.chunkSetId);
  const words = [...terms.words, ...terms.phrases];
  const counts = countChunks(reader, table, [...new Set(words)]);
  const distinct = [...new Set(terms.words)];
  const known = distinct.filter((word) => counts.get(word) !== 0);
  const unknown = 1 - known.length / distinct.length;
  const any = prune(words, counts);
  if (any === "") return { hits: [], unknown };
  const expression =
    terms.required.length > 0
      ? `${terms.required.join(" AND ")} AND (${anyOf(terms.required)} OR ${any})`
      : any;
  return { hits: rankPermitted(reader, task, expression, limit), unknown };
}
