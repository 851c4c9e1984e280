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
