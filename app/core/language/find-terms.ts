import { type FindWord, findWords, textMatcher } from "./find-words.shared";
import { foldText, foldWord } from "./fold";
import { type TextReading, tokenize, UNSPACED } from "./terms";

// How the search of conversations finds messages: words by their beginnings, parts of compounds, Arabic and Hebrew words
// without what is joined to them, and scripts without spaces by pairs of characters.

export const searchedWords = (query: string): FindWord[] => findWords(query, foldWord);
export const searchMatcher = (query: string) => textMatcher(query, foldWord);

/** In characters: some fold to as many as eighteen. */
const MAX_FOLDED = 30_000;

const FOLDED: TextReading = {
  clean: (text) => foldText(text).slice(0, MAX_FOLDED),
  reduce: (word) => word,
};

/** In letters: of a compound's first part, and of a part within it. */
const MIN_FIRST = 3;
const MIN_PART = 3;
const LATIN = /^[a-z]+$/;
const MAX_COMPOUND = 40;

/** Letters that Arabic and Hebrew join to the beginning of a word: the article, prepositions, "and". */
const JOINED_LETTER = /^[وفبكلاהובלמשכ]/u;

/** Parts indexed of one text, which bounds what a hostile one costs. */
const MAX_PARTS = 4000;

/** In characters, of what shows a text's language. */
const SAMPLE = 1200;
const ENGLISH = /(?<!\p{L})(?:the|and|that|with|this|you|are|from|to)(?!\p{L})/gu;
const ENGLISH_SHARE = 0.05;

/** English writes compounds apart, and parts of its words are other words: `rate` isn't meant to find `separate`. */
function isEnglish(text: string): boolean {
  const sample = text.slice(0, SAMPLE).toLowerCase();
  const words = sample.match(/\p{L}+/gu)?.length ?? 0;
  return (sample.match(ENGLISH)?.length ?? 0) > ENGLISH_SHARE * words;
}

/** Where a search may begin within a folded word, apart from its beginning. */
function* partStarts(word: string, hasCompounds: boolean): Generator<number> {
  if (LATIN.test(word)) {
    if (!hasCompounds || word.length > MAX_COMPOUND) return;
    for (let at = MIN_FIRST; at <= word.length - MIN_PART; at++) yield at;
  } else {
    for (let at = 1; word.length - at >= MIN_PART && JOINED_LETTER.test(word.slice(at - 1)); at++) yield at;
  }
}

/** A message's entry in the index of the search: its words in order, then their parts and the ends of unspaced runs. */
export function findTerms(text: string): string {
  const hasCompounds = !isEnglish(text);
  const words: string[] = [];
  const extras = new Set<string>();
  for (const { text: word, last } of tokenize(text, FOLDED)) {
    words.push(word);
    if (last !== undefined) extras.add(last);
    for (const at of partStarts(word, hasCompounds)) if (extras.size < MAX_PARTS) extras.add(word.slice(at));
  }
  return [...words, ...extras].join(" ");
}

/** A text cut where its scripts begin and end to have no spaces. */
function piecesOf(text: string): { at: number; text: string; isUnspaced: boolean }[] {
  const pieces: { at: number; text: string; isUnspaced: boolean }[] = [];
  let end = 0;
  const add = (to: number, isUnspaced: boolean) => {
    if (to > end) pieces.push({ at: end, text: text.slice(end, to), isUnspaced });
    end = to;
  };
  for (const { index, 0: run } of text.matchAll(UNSPACED)) {
    add(index, false);
    add(index + run.length, true);
  }
  add(text.length, false);
  return pieces;
}

/** A spelling as FTS5 looks it up in `findTerms`: phrases, the last word of each by its beginning, all of which a message has. */
export const termsOf = (spelling: string): string[] =>
  piecesOf(spelling)
    .map((piece) => tokenize(piece.text, FOLDED).map(({ text }) => text))
    .filter((terms) => terms.length > 0)
    .map((terms) => terms.join(" "));

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** A word as it is written, with the invisible characters that folding removes. */
const WRITTEN_WORD = /[\p{L}\p{N}\p{M}\u00ad\u200b-\u200f\u2060\ufeff]+/gu;
/** Characters that fold together: with their marks, signs of narrow kana, and parts of Korean syllables. */
const CHARACTER = /[^\p{M}][\p{M}\uff9e\uff9f\u1160-\u11ff\u200b-\u200f]*|\p{M}+/gu;

/** Where each unit of a folded word begins in the written one; the last is the end. */
function startsOf(word: string): number[] {
  const starts: number[] = [];
  for (const { index, 0: character } of word.matchAll(CHARACTER))
    for (let units = foldText(character).length; units > 0; units--) starts.push(index);
  return [...starts, word.length];
}

export interface TextRange {
  from: number;
  to: number;
}

interface Term {
  text: string;
  isUnspaced: boolean;
}

function* rangesIn(folded: string, terms: readonly Term[], hasCompounds: boolean): Generator<TextRange> {
  for (const { at, text, isUnspaced } of piecesOf(folded)) {
    for (const term of terms) {
      if (term.isUnspaced !== isUnspaced) continue;
      if (isUnspaced) {
        for (
          let from = text.indexOf(term.text);
          from >= 0;
          from = text.indexOf(term.text, from + term.text.length)
        )
          yield { from: at + from, to: at + from + term.text.length };
        continue;
      }
      const start = [0, ...partStarts(text, hasCompounds)].find((from) => text.startsWith(term.text, from));
      if (start !== undefined) yield { from: at + start, to: at + text.length };
    }
  }
}

/** Where a text has words of a search: ranges of the text as it is written, in order. A word is marked to its end. */
export function* locateWords(text: string, words: readonly FindWord[]): Generator<TextRange> {
  const terms = words
    .flatMap(({ spellings }) => spellings)
    .flatMap((spelling) => spelling.match(WORD) ?? [])
    .flatMap(piecesOf);
  const hasCompounds = !isEnglish(text);
  for (const { index, 0: word } of text.matchAll(WRITTEN_WORD)) {
    const found = [...rangesIn(foldText(word), terms, hasCompounds)];
    if (found.length === 0) continue;
    const starts = startsOf(word);
    found.sort((a, b) => a.from - b.from || b.to - a.to);
    let end = 0;
    for (const { from, to } of found) {
      if (from < end) continue;
      end = to;
      yield { from: index + (starts[from] ?? 0), to: index + (starts[to] ?? word.length) };
    }
  }
}
