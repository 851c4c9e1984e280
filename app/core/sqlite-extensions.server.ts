import type Database from "better-sqlite3";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { load } from "sqlite-vec";
import { findTerms, termsOf } from "./language/find-terms";
import { type FindWord, hasWords } from "./language/find-words.shared";
import { foldText } from "./language/fold";
import { parseWellFormed } from "./well-formed";

type Words = readonly Pick<FindWord, "spellings">[];

/** The words of the last call: a statement asks for the same ones at each row. */
let parsed: { json: string; words: Words } = { json: "[]", words: [] };

function hasWordsOf(json: unknown, texts: readonly unknown[]): 0 | 1 {
  if (json !== parsed.json) parsed = { json: String(json), words: parseWellFormed(String(json)) as Words };
  const folded = texts.filter((text) => typeof text === "string").map(foldText);
  return parsed.words.every((word) => folded.some((text) => hasWords(text, [word]))) ? 1 : 0;
}

const ofText = (change: (text: string) => string) => (text: unknown) =>
  typeof text === "string" ? change(text) : null;

/** Defines what statements and triggers call. Each connection that writes to the console's database needs them. */
export function defineTextFunctions(raw: Database.Database): void {
  raw.function("fold_text", { deterministic: true }, ofText(foldText));
  raw.function("find_terms", { deterministic: true }, ofText(findTerms));
  raw.function("has_words", { deterministic: true, varargs: true }, (json: unknown, ...texts: unknown[]) =>
    hasWordsOf(json, texts),
  );
}

/** Whether each word is in one of the columns, folded. SQLite's LIKE folds ASCII only. */
export function containsWords(
  words: readonly FindWord[],
  ...columns: readonly SQLWrapper[]
): SQL | undefined {
  if (words.length === 0) return undefined;
  const json = JSON.stringify(words.map(({ spellings }) => ({ spellings })));
  return sql`has_words(${json}, ${sql.join([...columns], sql`, `)})`;
}

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;

/** Alternatives that find the word; undefined if one of them can't be looked up, so that all could match. */
function anyOf(alternatives: readonly (string | undefined)[]): string | undefined {
  if (alternatives.length === 0 || alternatives.includes(undefined)) return undefined;
  return `(${[...new Set(alternatives)].join(" OR ")})`;
}

const allOf = (expressions: readonly (string | undefined)[]): string | undefined =>
  expressions.filter((expression) => expression !== undefined).join(" AND ") || undefined;

/** An index may still have a text as it is written, from before an upgrade (`index-again.server.ts`). */
const inIndex = ({ spellings, written }: FindWord) => [...spellings, written];

const trigrams = (word: FindWord) =>
  anyOf(inIndex(word).map((text) => ([...text].length >= 3 ? quoted(text) : undefined)));

/**
 * Whether a name has each word. Those of three characters are looked up in an index of trigrams, which matches anywhere
 * in a folded text, and shorter ones in what it finds; without a longer one, in every name.
 */
export function nameHasWords(
  words: readonly FindWord[],
  name: SQLWrapper,
  matches: (query: string) => SQL,
): SQL | undefined {
  const query = allOf(words.map(trigrams));
  if (query === undefined) return containsWords(words, name);
  const rest = containsWords(
    words.filter((word) => trigrams(word) === undefined),
    name,
  );
  return rest ? sql`iif(${matches(query)}, ${rest}, 0)` : matches(query);
}

const prefix = (terms: string) => `${quoted(terms)} *`;

function prefixes(spelling: string): string | undefined {
  const terms = termsOf(spelling);
  if (terms.length < 2) return terms.map(prefix)[0];
  return `(${terms.map(prefix).join(" AND ")})`;
}

/** A query of the index of `find_terms`. Undefined if no word has a letter or digit. */
export function wordsQuery(words: readonly FindWord[]): string | undefined {
  return allOf(
    words
      .filter(({ written }) => /[\p{L}\p{N}]/u.test(written))
      .map(({ spellings, written }) => anyOf([...spellings.map(prefixes), prefix(written)])),
  );
}

export type VectorExtension = { ok: true; version: string } | { ok: false; reason: string };

/** Loads sqlite-vec. It may be missing or forbidden, so a failure is returned, not thrown. */
export function loadVectorExtension(raw: Database.Database): VectorExtension {
  try {
    load(raw);
    return { ok: true, version: String(raw.prepare("SELECT vec_version()").pluck().get()) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
