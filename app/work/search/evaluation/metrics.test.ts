import { describe, expect, it } from "vitest";
import { coveredShare, figuresOf, ranksOf, scoreQuestion } from "./metrics";

describe("a quote in a chunk", () => {
  const quote = "Everyone has twenty eight days of holidays every year.";

  it("is found regardless of case, punctuation and line breaks", () => {
    expect(
      coveredShare(quote, "… EVERYONE has\ntwenty-eight days of “holidays” every  year — says the book"),
    ).toBe(1);
  });

  it("counts by runs of three words", () => {
    // Five of nine: "Everyone has twenty eight days".
    expect(coveredShare(quote, "Everyone has twenty eight days.")).toBeCloseTo(5 / 9);
    // All words occur, but not consecutively.
    expect(coveredShare(quote, "year every holidays of days eight twenty has everyone")).toBe(0);
    // A new version changed one word: three before it and five after it match.
    expect(coveredShare(quote, "Everyone has twenty nine days of holidays every year.")).toBeCloseTo(8 / 9);
    expect(coveredShare(quote, "twenty eight people, days of rest")).toBe(0);
  });

  it("of one or two words must match entirely", () => {
    expect(coveredShare("Article 17", "see article 17 there")).toBe(1);
    expect(coveredShare("Article 17", "see article 18")).toBe(0);
    expect(coveredShare("休暇", "年次休暇について")).toBe(1);
    expect(coveredShare(" … ", "anything")).toBe(0);
  });
});

describe("the ranks of passages", () => {
  const found = [
    { documentId: "doc_b", text: "one two three four five six" },
    { documentId: "doc_a", text: "one two three four nine nine" },
    { documentId: "doc_a", text: "one two three four five six" },
  ];
  const passage = (documentId: string, quote: string) => ({ id: quote, documentId, quote });

  it("are those of the first chunk of the same document with half of the words", () => {
    expect(ranksOf([passage("doc_a", "one two three four five six")], found)).toEqual([2]);
    expect(ranksOf([passage("doc_a", "three four five six seven eight")], found)).toEqual([3]);
    expect(ranksOf([passage("doc_b", "six seven eight"), passage("doc_c", "one two three")], found)).toEqual([
      null,
      null,
    ]);
    expect(ranksOf([], found)).toEqual([]);
  });
});

describe("the figures", () => {
  it("of one question match values computed by hand", () => {
    // DCG = 1/log2(2) + 1/log2(5) = 1.4307; the best = 1 + 1/log2(3) = 1.6309.
    expect(scoreQuestion([1, 4])).toEqual({ firstRank: 1, ndcg: expect.closeTo(0.8772, 4) });
    // 1/log2(4) = 0.5 of 1.
    expect(scoreQuestion([3])).toEqual({ firstRank: 3, ndcg: 0.5 });
    expect(scoreQuestion([3, 1, 2])).toEqual({ firstRank: 1, ndcg: expect.closeTo(1, 10) });
    // 1/log2(11) of 1 + 1/log2(3): 0.2891 / 1.6309.
    expect(scoreQuestion([null, 10])).toEqual({ firstRank: 10, ndcg: expect.closeTo(0.1772, 4) });
    expect(scoreQuestion([null])).toEqual({ firstRank: null, ndcg: 0 });
    expect(scoreQuestion([11])).toEqual({ firstRank: null, ndcg: 0 });
    expect(scoreQuestion([])).toEqual({ firstRank: null, ndcg: 0 });
  });

  it("never exceed 1, even if one chunk contains several passages", () => {
    expect(scoreQuestion([1, 1, 1]).ndcg).toBe(1);
    expect(scoreQuestion(Array.from({ length: 12 }, (_, index) => Math.min(index + 1, 10))).ndcg).toBe(1);
  });

  it("of all questions are their means", () => {
    const scores = [scoreQuestion([1]), scoreQuestion([4]), scoreQuestion([null])];
    expect(figuresOf(scores)).toEqual({
      hitRate: expect.closeTo(2 / 3),
      // (1 + 1/4 + 0) / 3
      mrr: expect.closeTo(0.41667, 4),
      // (1 + 1/log2(5) + 0) / 3 = (1 + 0.43068) / 3
      ndcg: expect.closeTo(0.47689, 4),
    });
    expect(figuresOf([])).toEqual({ hitRate: 0, mrr: 0, ndcg: 0 });
  });
});
