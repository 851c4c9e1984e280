import { withoutStopWords } from "./stop-words";
import { tokenize } from "./tokens";

/** Distinct words of a query that are looked for; a longer question says by then what it is about. */
const MOST_WORDS = 32;
/** How often a word counts that a query repeats. */
const MOST_REPEATS = 3;
/** In characters, of words joined by dots, hyphens and the like. */
const LONGEST_IDENTIFIER = 80;
const MOST_IDENTIFIERS = 8;
const MOST_QUOTED = 8;

/**
 * What goes into the keyword index for a text: its words in their order, so that phrases are found; behind them the
 * parts of identifiers, and the characters that end a run of a script without spaces.
 */
export function indexTerms(text: string): string {
  const tokens = tokenize(text);
  const words = tokens.map((token) => token.text);
  const extras = tokens.flatMap(({ parts, last }) => parts ?? last ?? []);
  return [...words, ...extras].join(" ");
}

/** A query as FTS5 expressions (https://sqlite.org/fts5.html#full_text_query_syntax), safe from what was typed. */
export interface QueryTerms {
  /** Any of which is looked for; a word that is repeated counts as often (BM25's query term frequency). */
  words: string[];
  /** What was typed as one, such as `user_name`: found in this form, it counts beside its words. */
  phrases: string[];
  /** All of which a passage must contain: what was put in quotation marks, where that is most of the query. */
  required: string[];
}

/** One string of FTS5: tokens hold letters, digits and marks alone, so that nothing in it can end it. */
const phrase = (words: readonly string[]) => `"${words.join(" ")}"`;

/** A single character of a script without spaces is the beginning of some pair, or is alone. */
const isHalfPair = (word: string) => /^[\u0e00-\u{3ffff}]$/u.test(word);
const expression = (word: string) => (isHalfPair(word) ? `${phrase([word])} *` : phrase([word]));

function boundRepeats(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return words.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1;
    if (count === 1 && counts.size >= MOST_WORDS) return false;
    counts.set(word, count);
    return count <= MOST_REPEATS;
  });
}

function findIdentifiers(query: string): string[] {
  const joined = query
    .split(/[^\p{L}\p{N}\p{M}._:/@]+/u)
    .filter((text) => text.length <= LONGEST_IDENTIFIER)
    .map((text) => tokenize(text).map((token) => token.text));
  const camel = tokenize(query).map(({ parts }) => parts ?? []);
  const found = [...joined, ...camel].filter((words) => words.length > 1 && words.length <= 8);
  return [...new Set(found.map(phrase))].slice(0, MOST_IDENTIFIERS);
}

function findQuoted(query: string): string[][] {
  return [...query.matchAll(/["“„«]([^"“”„«»]+)["”“»]/gu)]
    .map(([, text]) => tokenize(text ?? "").map((token) => token.text))
    .filter((words) => words.length > 0)
    .slice(0, MOST_QUOTED);
}

/** What to ask the keyword index for. Undefined when there is nothing to look for. */
export function queryTerms(query: string): QueryTerms | undefined {
  const all = tokenize(query).map((token) => token.text);
  const words = boundRepeats(withoutStopWords(all)).map(expression);
  if (words.length === 0) return undefined;
  const quoted = findQuoted(query);
  const phrases = quoted.map(phrase);
  // A search for words in quotation marks means them; a long question merely quotes.
  if (quoted.flat().length * 2 >= all.length) {
    return { words, phrases: findIdentifiers(query), required: phrases };
  }
  return { words, phrases: [...phrases, ...findIdentifiers(query)], required: [] };
}
