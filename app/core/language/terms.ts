import { withoutStopWords } from "./stop-words";
import { tokenize } from "./tokens";

/** Limit on a query's distinct words. */
const MAX_WORDS = 32;
const MAX_REPEATS = 3;
/** In characters. */
const MAX_IDENTIFIER_LENGTH = 80;
const MAX_IDENTIFIERS = 8;
const MAX_QUOTED = 8;

/**
 * A text's entry in the keyword index: words in order for phrases, then parts of identifiers and last
 * characters of unspaced runs.
 */
export function indexTerms(text: string): string {
  const tokens = tokenize(text);
  const words = tokens.map((token) => token.text);
  const extras = tokens.flatMap(({ parts, last }) => parts ?? last ?? []);
  return [...words, ...extras].join(" ");
}

/** A query as escaped FTS5 expressions (https://sqlite.org/fts5.html#full_text_query_syntax). */
export interface QueryTerms {
  /** A passage contains at least one. A repeated word counts as often (BM25's query term frequency). */
  words: string[];
  /** Identifiers such as `user_name`, which count in addition to their words. */
  phrases: string[];
  /** A passage contains all: quoted phrases, if they are most of the query. */
  required: string[];
}

/** An FTS5 string. Tokens hold letters, digits and marks only, so nothing needs escaping. */
const phrase = (words: readonly string[]) => `"${words.join(" ")}"`;

const isSingleUnspaced = (word: string) => /^[\u0e00-\u{3ffff}]$/u.test(word);
const expression = (word: string) => (isSingleUnspaced(word) ? `${phrase([word])} *` : phrase([word]));

function boundRepeats(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return words.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1;
    if (count === 1 && counts.size >= MAX_WORDS) return false;
    counts.set(word, count);
    return count <= MAX_REPEATS;
  });
}

function findIdentifiers(query: string): string[] {
  const joined = query
    .split(/[^\p{L}\p{N}\p{M}._:/@]+/u)
    .filter((text) => text.length <= MAX_IDENTIFIER_LENGTH)
    .map((text) => tokenize(text).map((token) => token.text));
  const camel = tokenize(query).map(({ parts }) => parts ?? []);
  const phrases = [...joined, ...camel].filter((words) => words.length > 1 && words.length <= 8);
  return [...new Set(phrases.map(phrase))].slice(0, MAX_IDENTIFIERS);
}

function findQuoted(query: string): string[][] {
  return [...query.matchAll(/["“„«]([^"“”„«»]+)["”“»]/gu)]
    .map(([, text]) => tokenize(text ?? "").map((token) => token.text))
    .filter((words) => words.length > 0)
    .slice(0, MAX_QUOTED);
}

/** @returns undefined for a query without words */
export function queryTerms(query: string): QueryTerms | undefined {
  const all = tokenize(query).map((token) => token.text);
  const words = boundRepeats(withoutStopWords(all)).map(expression);
  if (words.length === 0) return undefined;
  const quoted = findQuoted(query);
  const phrases = quoted.map(phrase);
  // A long question may quote without requiring the words.
  if (quoted.flat().length * 2 >= all.length) {
    return { words, phrases: findIdentifiers(query), required: phrases };
  }
  return { words, phrases: [...phrases, ...findIdentifiers(query)], required: [] };
}
