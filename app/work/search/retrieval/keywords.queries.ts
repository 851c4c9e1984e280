import { type QueryTerms, queryTerms } from "~/core/language/analysis";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { termsTable, termsTablesPattern } from "~/work/index/stores/tables";
import { isFiltered, takePermitted } from "./chunks.queries";
import type { Reader, SearchTask } from "./search-task";
import { statement } from "./statements";

/** Weights of title, headings and text. */
const COLUMN_WEIGHTS = "2.0, 1.5, 1.0";

interface RankedMatch {
  chunkId: number;
  bm25: number;
}

export interface KeywordHit {
  chunkId: number;
  language: string;
  /** Share of the query's weight that the passage has, so that languages can be compared. Mostly 0 to 1. */
  share: number;
}

/** The languages of a chunk set's texts. */
function listLanguages(reader: Reader, chunkSetId: number): string[] {
  const base = termsTable(chunkSetId, NO_LANGUAGE);
  const tables = statement(
    reader,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND (name = ? OR name GLOB ?)",
  )
    .pluck()
    .all(base, termsTablesPattern(chunkSetId)) as string[];
  // A missing table is an error that the search reports.
  return tables.length === 0 ? [NO_LANGUAGE] : tables.map((table) => table.slice(base.length + 1));
}

/** Rows of a keyword index, from its averages (https://sqlite.org/fts5.html#fts5_data_structures): a varint. */
function countRows(reader: Reader, table: string): number {
  const averages = statement(reader, `SELECT block FROM ${table}_data WHERE id = 1`).pluck().get() as
    | Uint8Array
    | undefined;
  let count = 0;
  for (const byte of averages ?? []) {
    count = count * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return count;
}

function countMatches(reader: Reader, table: string, expression: string, max: number): number {
  return statement(reader, `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
    .pluck()
    .get(expression, max) as number;
}

/** Matches, best first. SQLite's sorter keeps only the limit; FTS5's keeps every row. */
function rankMatches(reader: Reader, table: string, expression: string, limit: number): RankedMatch[] {
  return statement(
    reader,
    `SELECT rowid AS chunkId, -bm25(${table}, ${COLUMN_WEIGHTS}) AS bm25 FROM ${table} WHERE ${table} MATCH ?
       ORDER BY bm25 DESC, rowid LIMIT ?`,
  ).all(expression, limit) as RankedMatch[];
}

const RANKED = 5000;
/** Initial hits per requested passage, without and with a filter. */
const OVERSAMPLING = 4;
const OVERSAMPLING_FILTERED = 16;

export interface KeywordHits {
  hits: KeywordHit[];
  /** Share of the query's words that don't occur in English texts and those of no known language, 0 to 1. */
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

function rankPermitted(
  reader: Reader,
  task: SearchTask,
  { table, expression, limit }: { table: string; expression: string; limit: number },
): RankedMatch[] {
  const few = limit * (isFiltered(task) ? OVERSAMPLING_FILTERED : OVERSAMPLING);
  const first = rankMatches(reader, table, expression, few);
  const hits = takePermitted(reader, task, first, limit);
  if (hits.length === limit || first.length < few) return hits;
  return takePermitted(reader, task, rankMatches(reader, table, expression, -1), limit);
}

const SMALLEST_WEIGHT = 1e-6;
const K1 = 1.2;

/** The highest score that a passage with each word can have (as FTS5 computes it). */
function bestScore(words: readonly string[], counts: ReadonlyMap<string, number>, rows: number): number {
  return words.reduce((sum, word) => {
    const count = counts.get(word) ?? 0;
    return sum + Math.max(SMALLEST_WEIGHT, Math.log((rows - count + 0.5) / (count + 0.5))) * (K1 + 1);
  }, 0);
}

function searchLanguage(
  reader: Reader,
  task: SearchTask,
  { language, terms, limit }: { language: string; terms: QueryTerms; limit: number },
): KeywordHits {
  const table = termsTable(task.index.chunkSetId, language);
  const words = [...terms.words, ...terms.phrases];
  const counts = countChunks(reader, table, [...new Set(words)]);
  const distinct = [...new Set(terms.words)];
  const known = distinct.filter((word) => counts.get(word) !== 0);
  const unknown = distinct.length === 0 ? 0 : 1 - known.length / distinct.length;
  const expression = prune(words, counts);
  if (expression === "") return { hits: [], unknown };
  const best = bestScore(terms.words.length > 0 ? terms.words : words, counts, countRows(reader, table));
  const hits = rankPermitted(reader, task, { table, expression, limit });
  return { hits: hits.map(({ chunkId, bm25 }) => ({ chunkId, language, share: bm25 / best })), unknown };
}

/** Searches each language of the index with the query as that language has it. Undefined for a query without words. */
export function searchKeywords(reader: Reader, task: SearchTask, limit: number): KeywordHits | undefined {
  let all: KeywordHits | undefined;
  for (const language of listLanguages(reader, task.index.chunkSetId)) {
    const terms = queryTerms(task.query, language);
    if (!terms) continue;
    const { hits, unknown } = searchLanguage(reader, task, { language, terms, limit });
    all = {
      hits: [...(all?.hits ?? []), ...hits],
      unknown: language === NO_LANGUAGE ? unknown : (all?.unknown ?? 1),
    };
  }
  if (!all) return undefined;
  const hits = all.hits.sort((a, b) => b.share - a.share || a.chunkId - b.chunkId).slice(0, limit);
  return { hits, unknown: all.unknown };
}
