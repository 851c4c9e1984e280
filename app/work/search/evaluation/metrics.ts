import { wordsOf } from "~/core/language/quote.shared";

export const CHECK_DEPTH = 10;

export interface QuestionScore {
  firstRank: number | null;
  ndcg: number;
}

const gain = (rank: number) => 1 / Math.log2(rank + 1);

/** First rank and nDCG@10 of one question. Passages have equal weight and count once, at their first rank. */
export function scoreQuestion(ranks: readonly (number | null)[]): QuestionScore {
  const hits = ranks.filter((rank): rank is number => rank !== null && rank <= CHECK_DEPTH);
  const best = Math.min(ranks.length, CHECK_DEPTH);
  let ideal = 0;
  for (let rank = 1; rank <= best; rank++) ideal += gain(rank);
  const dcg = hits.reduce((sum, rank) => sum + gain(rank), 0);
  return {
    firstRank: hits.length > 0 ? Math.min(...hits) : null,
    ndcg: ideal === 0 ? 0 : Math.min(1, dcg / ideal),
  };
}

export interface CheckFigures {
  hitRate: number;
  mrr: number;
  ndcg: number;
}

export function figuresOf(scores: readonly QuestionScore[]): CheckFigures {
  const mean = (value: (score: QuestionScore) => number) =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
  return {
    hitRate: mean(({ firstRank }) => (firstRank === null ? 0 : 1)),
    mrr: mean(({ firstRank }) => (firstRank === null ? 0 : 1 / firstRank)),
    ndcg: mean(({ ndcg }) => ndcg),
  };
}

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
