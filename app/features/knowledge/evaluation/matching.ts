import { wordsOf } from "../language/quote.shared";

/** Of a quote's words, those that must stand in a chunk for the chunk to count as the passage. */
const LEAST_SHARE = 0.5;
/** Words in a row that have to agree: single ones stand in every text. */
const RUN = 3;

export interface ExpectedPassage {
  id: string;
  documentId: string;
  /** Words of the document: found again however it is cut into chunks, and in its next versions. */
  quote: string;
}

export interface FoundChunk {
  documentId: string;
  text: string;
}

/**
 * The share of a quote's words that stand in a text, 0 to 1. A word is there if it is part of three words in a row that
 * stand there in the same order; a quote of fewer words has to stand there whole. Case, marks and white space don't
 * count.
 */
export function coveredShare(quote: string, text: string): number {
  const wanted = wordsOf(quote);
  if (wanted.length === 0) return 0;
  const length = Math.min(RUN, wanted.length);
  const words = wordsOf(text);
  const runs = new Set<string>();
  for (let at = 0; at + length <= words.length; at++) runs.add(words.slice(at, at + length).join(" "));
  const covered = new Set<number>();
  for (let at = 0; at + length <= wanted.length; at++) {
    if (!runs.has(wanted.slice(at, at + length).join(" "))) continue;
    for (let one = at; one < at + length; one++) covered.add(one);
  }
  return covered.size / wanted.length;
}

/**
 * The rank, from 1, at which a search found each passage; null for what it missed. A found chunk is a passage if it is of
 * the passage's document and at least half of the quote's words stand in it.
 */
export function ranksOf(
  passages: readonly ExpectedPassage[],
  found: readonly FoundChunk[],
): (number | null)[] {
  return passages.map(({ documentId, quote }) => {
    const at = found.findIndex(
      (chunk) => chunk.documentId === documentId && coveredShare(quote, chunk.text) >= LEAST_SHARE,
    );
    return at < 0 ? null : at + 1;
  });
}
