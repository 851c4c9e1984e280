import { type QueryTerms, queryTerms, wordExpression } from "~/core/language/analysis";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { relatedWords } from "~/core/language/related-words";
import type { Token } from "~/core/language/terms";
import type { Vocabulary } from "~/core/language/vocabulary";
import { termsTable, termsTablesPattern } from "~/work/index/stores/tables";
import { isFiltered, takePermitted } from "./chunks.queries";
import type { Reader, SearchTask } from "./search-task";
import { statement } from "./statements";
import { readAverages, vocabularyOf } from "./vocabulary.queries";

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

/** Rows of a keyword index: the first varint of its averages. */
function countRows(reader: Reader, table: string): number {
  let count = 0;
  for (const byte of readAverages(reader, table) ?? []) {
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

/** How often a query's own word counts for once that a related one does. */
const OWN_WEIGHT = 2;

interface Weighted {
  expression: string;
  /** How often each of the query's own words counts in it. */
  weight: number;
}

/**
 * Ranking costs ten times as much as matching, so with frequent words only chunks with a rarer word are
 * ranked. (MaxScore, in Turtle and Flood, Query evaluation: strategies and optimizations, 1995.)
 * @param related what a text may have in place of the words; it never keeps out a chunk that has one of them
 */
function prune(
  words: readonly string[],
  related: readonly string[],
  counts: ReadonlyMap<string, number>,
): Weighted {
  const own = new Set(words);
  const place = (word: string) => (own.has(word) ? 0 : 1);
  const rarest = [...counts]
    .filter(([, count]) => count > 0)
    .sort((a, b) => place(a[0]) - place(b[0]) || a[1] - b[1]);
  const rare = new Set<string>();
  let ranked = 0;
  for (const [word, count] of rarest) {
    if (rare.size > 0 && ranked + count > RANKED) continue;
    rare.add(word);
    ranked += count;
  }
  const weight = related.length > 0 ? OWN_WEIGHT : 1;
  const weighted = [...Array.from({ length: weight }, () => words).flat(), ...related];
  const known = weighted.filter((word) => counts.get(word) !== 0);
  const frequent = known.filter((word) => !rare.has(word));
  if (frequent.length === 0) return { expression: anyOf(known), weight };
  const rareWords = known.filter((word) => rare.has(word));
  const all = anyOf([...rareWords, ...frequent, ...frequent]);
  return { expression: `(${anyOf(rareWords)}) AND (${all})`, weight: 2 * weight };
}

function countChunks(reader: Reader, table: string, words: readonly string[]): Map<string, number> {
  const distinct = [...new Set(words)];
  const upTo = (max: number) =>
    new Map(distinct.map((word) => [word, countMatches(reader, table, word, max)]));
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

/** A query as one language of the index has it. */
interface Reading {
  language: string;
  table: string;
  terms: QueryTerms;
  counts: Map<string, number>;
}

function readQuery(reader: Reader, { index, query }: SearchTask, language: string): Reading[] {
  const terms = queryTerms(query, language);
  if (!terms) return [];
  const table = termsTable(index.chunkSetId, language);
  return [{ language, table, terms, counts: countChunks(reader, table, [...terms.words, ...terms.phrases]) }];
}

const hasWord = ({ counts }: Reading, { text }: Token) => (counts.get(wordExpression(text)) ?? 0) > 0;

const MAX_RELATED = 40;

/** @param known the query's words that some language of the index has */
function listRelated(reader: Reader, reading: Reading, known: ReadonlySet<string>): string[] {
  const { language, table, terms } = reading;
  let vocabulary: Vocabulary | undefined;
  // Once for all words: each call may read for a while.
  const readVocabulary = () => {
    vocabulary ??= vocabularyOf(reader, table);
    return vocabulary;
  };
  const related = terms.content.flatMap((token) => {
    const isKnown = hasWord(reading, token);
    // The word belongs to another language.
    if (!isKnown && known.has(token.word)) return [];
    return relatedWords(token, language, readVocabulary, isKnown);
  });
  return [...new Set(related)].slice(0, MAX_RELATED);
}

function searchLanguage(
  reader: Reader,
  task: SearchTask,
  { reading, related, limit }: { reading: Reading; related: readonly string[]; limit: number },
): KeywordHits {
  const { language, table, terms, counts } = reading;
  const words = [...terms.words, ...terms.phrases];
  const distinct = [...new Set(terms.words)];
  const known = distinct.filter((word) => counts.get(word) !== 0);
  const unknown = distinct.length === 0 ? 0 : 1 - known.length / distinct.length;
  const all = related.length === 0 ? counts : new Map([...countChunks(reader, table, related), ...counts]);
  const { expression, weight } = prune(words, related, all);
  if (expression === "") return { hits: [], unknown };
  const best = bestScore(terms.words.length > 0 ? terms.words : words, counts, countRows(reader, table));
  const hits = rankPermitted(reader, task, { table, expression, limit });
  return {
    hits: hits.map(({ chunkId, bm25 }) => ({ chunkId, language, share: bm25 / (weight * best) })),
    unknown,
  };
}

/** Searches each language of the index with the query as that language has it. Undefined for a query without words. */
export function searchKeywords(reader: Reader, task: SearchTask, limit: number): KeywordHits | undefined {
  const languages = listLanguages(reader, task.index.chunkSetId);
  const readings = languages.flatMap((language) => readQuery(reader, task, language));
  if (readings.length === 0) return undefined;
  const known = new Set(
    readings.flatMap((reading) =>
      reading.terms.content.filter((token) => hasWord(reading, token)).map(({ word }) => word),
    ),
  );
  const found = readings.map((reading) =>
    searchLanguage(reader, task, { reading, related: listRelated(reader, reading, known), limit }),
  );
  const hits = found
    .flatMap((one) => one.hits)
    .sort((a, b) => b.share - a.share || a.chunkId - b.chunkId)
    .slice(0, limit);
  const english = readings.findIndex(({ language }) => language === NO_LANGUAGE);
  return { hits, unknown: found[english]?.unknown ?? 1 };
}
