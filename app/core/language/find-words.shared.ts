import { foldLetters, normalizeText } from "./letters.shared";

// How a search field finds texts: every word, anywhere in the text, both folded.

/** A word of a search. */
export interface FindWord {
  /** Folded; a text has the word in one of them. */
  spellings: readonly string[];
  /** As it was typed, in lower case. */
  written: string;
}

const MAX_WORDS = 8;

/** Articles, and prepositions joined to them: a text that has the word without them is meant too. */
const ARTICLE = /^(?:[وفبك]?ال|لل|ה)(?=\p{L}{3})/u;

const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };

/** Umlauts written in two letters, but not in short words or at the end, where they would be `true` and `does`. */
const WRITTEN_OUT = /([aou])e(?=\p{L})/gu;
const LONG_ENOUGH = 5;

function* spellingsOf(word: string, fold: (word: string) => string): Generator<string> {
  const folded = fold(word).replace(ARTICLE, "");
  yield folded;
  if (folded.length >= LONG_ENOUGH) yield folded.replace(WRITTEN_OUT, "$1");
  yield fold(word.replace(/[äöüøå]/g, (letter) => UMLAUTS[letter] ?? letter)).replace(ARTICLE, "");
}

/** @param fold `foldWord` on the server, which knows Chinese characters too */
export function findWords(query: string, fold: (word: string) => string = foldLetters): FindWord[] {
  return normalizeText(query)
    .toLowerCase()
    .normalize("NFC")
    .split(/[\s\0]+/)
    .map((written) => ({
      written,
      spellings: [...new Set(spellingsOf(written, fold))].filter((spelling) => spelling !== ""),
    }))
    .filter(({ spellings }) => spellings.length > 0)
    .slice(0, MAX_WORDS);
}

/** @param folded what the text is as lists compare it */
export const hasWords = (folded: string, words: readonly Pick<FindWord, "spellings">[]) =>
  words.every(({ spellings }) => spellings.some((spelling) => folded.includes(spelling)));

/** Tells whether a text has every word of a query; it has those of an empty one. */
export function textMatcher(
  query: string,
  fold: (word: string) => string = foldLetters,
): (text: string) => boolean {
  const words = findWords(query, fold);
  return (text) => hasWords(fold(normalizeText(text).toLowerCase()), words);
}
