import { foldWord } from "./fold";
import { identifierTerms, spellingsOf } from "./identifiers";
import { hasCompounds, hasMarks, NO_LANGUAGE } from "./language-codes";
import { languageOf } from "./languages";
import { normalizeText } from "./letters.shared";
import { type TextReading, type Token, tokenize, withoutStopWords } from "./terms";

const MAX_WORDS = 32;
const MAX_REPEATS = 3;
/** In characters. */
const MAX_IDENTIFIER_LENGTH = 80;
const MAX_IDENTIFIERS = 8;
const MAX_QUOTED = 8;
/** How often a phrase counts that is most of a query: passages that have it come first. */
const QUOTED_REPEATS = 3;

/** Scripts whose words are longer than pairs of characters show, and which ICU can separate. */
const SEGMENTED = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenters = new Map<string, Intl.Segmenter>();

function segment(run: string, language: string): string[] | undefined {
  if (!SEGMENTED.test(run)) return undefined;
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: "word" });
    segmenters.set(language, segmenter);
  }
  return [...segmenter.segment(run)].flatMap(({ segment: word, isWordLike }) => (isWordLike ? [word] : []));
}

const readings = new Map<string, TextReading>();

function readingOf(language: string): TextReading {
  let reading = readings.get(language);
  if (!reading) {
    const { stem } = languageOf(language);
    reading = { clean: normalizeText, reduce: stem };
    if (language !== NO_LANGUAGE) reading.segment = (run) => segment(run, language);
    readings.set(language, reading);
  }
  return reading;
}

/** A text's words in a language, in order, as the keyword index has them. */
export const analyzeText = (text: string, language: string): Token[] => tokenize(text, readingOf(language));

/** The words without their marks, where the index has them with marks. */
const unmarked = (words: readonly string[], language: string) =>
  hasMarks(language) ? words.map(foldWord) : [];

/** A text's entry in a language's keyword index: its words in order, then spellings of identifiers and ends of unspaced runs. */
export function indexTerms(text: string, language: string): string {
  const tokens = analyzeText(text, language);
  const words = tokens.map((token) => token.text);
  const extras = tokens.flatMap(({ parts, last }) => parts ?? last ?? []);
  return [...words, ...extras, ...unmarked(words, language), ...identifierTerms(text)].join(" ");
}

/** A query as escaped FTS5 expressions (https://sqlite.org/fts5.html#full_text_query_syntax). */
export interface QueryTerms {
  /** A passage contains at least one. A repeated word counts as often (BM25's query term frequency). */
  words: string[];
  /** The same as tokens, each once. */
  content: Token[];
  /** What raises a passage: quoted phrases and identifiers. */
  phrases: string[];
}

/** An FTS5 string. Tokens hold letters, digits, marks and private characters only, so nothing needs escaping. */
const phrase = (words: readonly string[]) => `"${words.join(" ")}"`;

export const beginningExpression = (beginning: string) => `${phrase([beginning])} *`;

const isSingleUnspaced = (word: string) => /^[\u0e00-\u{3ffff}]$/u.test(word);
export const wordExpression = (word: string) =>
  isSingleUnspaced(word) ? beginningExpression(word) : phrase([word]);

function boundRepeats(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return words.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1;
    if (count === 1 && counts.size >= MAX_WORDS) return false;
    counts.set(word, count);
    return count <= MAX_REPEATS;
  });
}

/** The content words of a query, or all if it has no other. */
export function contentWords(tokens: readonly Token[], language: string): Token[] {
  if (language === NO_LANGUAGE) {
    const kept = new Set(withoutStopWords(tokens.map(({ text }) => text)));
    return tokens.filter(({ text }) => kept.has(text));
  }
  const { isStopWord } = languageOf(language);
  const kept = tokens.filter(({ word }) => !isStopWord(word));
  return kept.length > 0 ? kept : [...tokens];
}

function findIdentifiers(query: string, language: string, tokens: readonly Token[]): string[] {
  const joined = normalizeText(query)
    .split(/[^\p{L}\p{N}\p{M}._:/@]+/u)
    .filter((text) => text.length <= MAX_IDENTIFIER_LENGTH)
    .map((text) => analyzeText(text, language).map((token) => token.text));
  const camel = tokens.map(({ parts }) => parts ?? []);
  const phrases = [...joined, ...camel].filter((words) => words.length > 1 && words.length <= 8);
  return [...new Set(phrases.map(phrase))].slice(0, MAX_IDENTIFIERS);
}

/** Shorter stems begin too many unrelated words. */
const MIN_BEGINNING = 5;

/** Compounds that begin with a word of the query, in languages that write them as one word. */
const beginnings = (words: readonly string[], language: string) =>
  hasCompounds(language)
    ? [...new Set(words)].filter((word) => word.length >= MIN_BEGINNING).map(beginningExpression)
    : [];

function findQuoted(query: string, language: string, words: number): string[] {
  const quoted = [...query.matchAll(/["“„«]([^"“”„«»]+)["”“»]/gu)]
    .map(([, text]) => analyzeText(text ?? "", language).map((token) => token.text))
    .filter((words) => words.length > 0)
    .slice(0, MAX_QUOTED);
  // A long question may quote without asking for the words.
  const repeats = quoted.flat().length * 2 >= words ? QUOTED_REPEATS : 1;
  return quoted.flatMap((some) => Array<string>(repeats).fill(phrase(some)));
}

/** @returns undefined for a query without words */
export function queryTerms(query: string, language: string): QueryTerms | undefined {
  const tokens = analyzeText(query, language);
  const content = contentWords(tokens, language);
  const bound = boundRepeats(content.map(({ text }) => text));
  const { stem } = languageOf(language);
  const spellings = [
    ...identifierTerms(query).map((term) => [term]),
    ...spellingsOf(tokens.map(({ word }) => word)).map((words) => words.map(stem)),
  ];
  const phrases = [
    ...findQuoted(query, language, tokens.length),
    ...findIdentifiers(query, language, tokens),
    ...new Set(spellings.map(phrase)),
    ...unmarked(bound, language).map(wordExpression),
    ...beginnings(bound, language),
  ];
  if (bound.length === 0 && phrases.length === 0) return undefined;
  const kept = new Map(
    content.filter(({ text }) => bound.includes(text)).map((token) => [token.text, token]),
  );
  return { words: bound.map(wordExpression), content: [...kept.values()], phrases };
}
