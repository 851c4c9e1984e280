import { termsTable } from "../../index/stores/tables";
import type { QueryTerms } from "../../language/terms";
import { permitted } from "./permitted";
import type { Reader } from "./reader";
import type { SearchTask } from "./search-task";

/** What a word weighs in a document's title, in the headings a chunk is under, and in its text. */
const COLUMN_WEIGHTS = "2.0, 1.5, 1.0";
/** Chunks that are ranked, about: what a query's rarer words alone bring in is enough to choose from. */
const RANKED = 5000;

interface KeywordHit {
  chunkId: number;
  /** Higher is better. */
  bm25: number;
}

export interface KeywordHits {
  hits: KeywordHit[];
  /** Share of the query's words that no chunk of the index has, 0 to 1. */
  unknown: number;
}

const anyOf = (expressions: readonly string[]) => expressions.join(" OR ");

/**
 * Ranking costs ten times what finding does. With frequent words in the query, only chunks that have one of the rarer
 * ones are ranked, still by all words: those with nothing but frequent ones would end at the bottom. (MaxScore, in
 * Turtle and Flood, Query evaluation: strategies and optimizations, 1995.)
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
  // Every word is there twice as often as the query has it: all keep their weight against each other.
  const rareWords = known.filter((word) => rare.has(word));
  return `(${anyOf(rareWords)}) AND (${anyOf([...rareWords, ...frequent, ...frequent])})`;
}

/**
 * How many chunks have each word; no more than are ranked are counted, as long as one of the words has fewer. Counting
 * goes through all of them.
 */
function countChunks(reader: Reader, table: string, words: readonly string[]): Map<string, number> {
  const count = reader
    .statement(`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`)
    .pluck();
  const upTo = (most: number) => new Map(words.map((word) => [word, count.get(word, most) as number]));
  const counts = upTo(RANKED + 1);
  const isRare = (found: number) => found > 0 && found <= RANKED;
  return [...counts.values()].some(isRare) ? counts : upTo(-1);
}

/** Ranked by BM25 among what the actor may find. */
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
  const { sql, values } = permitted(task);
  // FTS5 hands its rows out in order of rank: each is looked at once, until enough of them may be seen.
  const hits = reader
    .statement(
      `SELECT t.rowid AS chunkId, -t.rank AS bm25
       FROM ${table} t CROSS JOIN chunks c ON c.id = t.rowid CROSS JOIN documents d ON d.id = c.document_id
       WHERE t.${table} MATCH ? AND t.rank MATCH 'bm25(${COLUMN_WEIGHTS})' AND ${sql}
       ORDER BY t.rank LIMIT ?`,
    )
    .all(expression, ...values, limit) as KeywordHit[];
  return { hits, unknown };
}
