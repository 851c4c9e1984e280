import { wordsOf } from "~/core/language/quote.shared";

/** Minimum share of a quote's words that a matching chunk contains. */
const MIN_WORD_SHARE = 0.5;
/** Consecutive words that must match: single words occur everywhere. */
const RUN_LENGTH = 3;

export interface ExpectedPassage {
  id: string;
  documentId: string;
  /** A quote, so that it is found in every chunking and version. */
  quote: string;
}

export interface FoundChunk {
  documentId: string;
  text: string;
}

/** Share of a quote's words in a text, 0 to 1. A word counts if three consecutive words around it match. */
export function coveredShare(quote: string, text: string): number {
  const quoteWords = wordsOf(quote);
  if (quoteWords.length === 0) return 0;
  const length = Math.min(RUN_LENGTH, quoteWords.length);
  const words = wordsOf(text);
  const runs = new Set<string>();
  for (let at = 0; at + length <= words.length; at++) runs.add(words.slice(at, at + length).join(" "));
  const covered = new Set<number>();
  for (let at = 0; at + length <= quoteWords.length; at++) {
    if (!runs.has(quoteWords.slice(at, at + length).join(" "))) continue;
    for (let one = at; one < at + length; one++) covered.add(one);
  }
  return covered.size / quoteWords.length;
}

/**
 * The rank at which a search found each passage; null for a miss. At least half of the quote must be in the
 * chunk.
 */
export function ranksOf(
  passages: readonly ExpectedPassage[],
  results: readonly FoundChunk[],
): (number | null)[] {
  return passages.map(({ documentId, quote }) => {
    const at = results.findIndex(
      (chunk) => chunk.documentId === documentId && coveredShare(quote, chunk.text) >= MIN_WORD_SHARE,
    );
    return at < 0 ? null : at + 1;
  });
}
