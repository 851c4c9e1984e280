export const CHECK_DEPTH = 10;

/** How well one question was answered, from the ranks of its passages (null for a missed one). */
export interface QuestionScore {
  /** Of the first passage found, from 1. */
  firstRank: number | null;
  ndcg: number;
}

const gain = (rank: number) => 1 / Math.log2(rank + 1);

/**
 * The first rank and nDCG@10 of one question. Every passage counts the same, once, at the rank it was first found; the
 * best possible is one passage a rank from the first on. Several found by one chunk can't make it better than that.
 */
export function scoreQuestion(ranks: readonly (number | null)[]): QuestionScore {
  const found = ranks.filter((rank): rank is number => rank !== null && rank <= CHECK_DEPTH);
  const best = Math.min(ranks.length, CHECK_DEPTH);
  let ideal = 0;
  for (let rank = 1; rank <= best; rank++) ideal += gain(rank);
  const dcg = found.reduce((sum, rank) => sum + gain(rank), 0);
  return {
    firstRank: found.length > 0 ? Math.min(...found) : null,
    ndcg: ideal === 0 ? 0 : Math.min(1, dcg / ideal),
  };
}

export interface CheckFigures {
  /** The share of questions with a passage among the first ten. */
  hitRate: number;
  /** The mean of one over the first rank, 0 for a miss. */
  mrr: number;
  /** The mean nDCG@10. */
  ndcg: number;
}

/** The means over all judged questions; zeros without any. */
export function figuresOf(scores: readonly QuestionScore[]): CheckFigures {
  const mean = (value: (score: QuestionScore) => number) =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
  return {
    hitRate: mean(({ firstRank }) => (firstRank === null ? 0 : 1)),
    mrr: mean(({ firstRank }) => (firstRank === null ? 0 : 1 / firstRank)),
    ndcg: mean(({ ndcg }) => ndcg),
  };
}
