import { describe, expect, it } from "vitest";
import { baselineOf, compareQuestions, defaultPair, orderQuestions } from "./compare";
import type { CheckedSetting, CheckRun, QuestionOrder } from "./retrieval-check.schema";

const result = (questionId: string, firstRank: number | null, judged = true) => ({
  questionId,
  question: questionId,
  judged,
  firstRank,
  ndcg: firstRank === null ? 0 : 1 / firstRank,
});
const setting = (id: string, mode: CheckedSetting["mode"], error: string | null = null) =>
  ({ id, mode, error }) as CheckedSetting;
const run = (...settings: CheckedSetting[]) => ({ settings }) as CheckRun;

describe("two settings, question by question", () => {
  it("are sorted as requested, with misses after hits and unjudged questions last", () => {
    const before = [result("q10", 1), result("q2", null), result("q1", 4)];
    const after = [result("q10", 3), result("q2", 1), result("q1", 4), result("new", 2)];
    const questions = compareQuestions(before, after);
    const ids = (sort: QuestionOrder["sort"], order: QuestionOrder["order"]) =>
      orderQuestions(questions, { sort, order }).map(({ questionId }) => questionId);
    expect(ids("question", "asc")).toEqual(["new", "q1", "q2", "q10"]);
    expect(ids("before", "asc")).toEqual(["q10", "q1", "q2", "new"]);
    expect(ids("before", "desc")).toEqual(["q2", "q1", "q10", "new"]);
    expect(ids("after", "desc")).toEqual(["q1", "q10", "new", "q2"]);
    expect(ids("change", "asc")).toEqual(["q10", "q2", "q1", "new"]);
  });

  it("list regressions first, and separate what can't be compared", () => {
    const before = [result("a", 1), result("b", 2), result("c", 3), result("d", 1), result("e", null, false)];
    const after = [result("a", 1), result("b", 1), result("c", null), result("e", 1), result("new", 1)];
    expect(compareQuestions(before, after)).toEqual([
      { questionId: "c", question: "c", before: 3, after: null, change: "worse" },
      { questionId: "b", question: "b", before: 2, after: 1, change: "better" },
      { questionId: "a", question: "a", before: 1, after: 1, change: "same" },
      { questionId: "e", question: "e", before: undefined, after: 1, change: "unjudged" },
      { questionId: "new", question: "new", before: undefined, after: 1, change: "unjudged" },
    ]);
  });
});

describe("a setting's baseline", () => {
  const old = run(setting("1", "keywords"), setting("2", "hybrid"), setting("6", "vectors", "down"));
  const now = run(setting("3", "keywords"), setting("4", "vectors"), setting("5", "hybrid"));

  it("is the same search of the check before, if it was measured", () => {
    expect(now.settings.map((one) => baselineOf(one, old)?.id)).toEqual(["1", undefined, "2"]);
    expect(old.settings.map((one) => baselineOf(one, undefined))).toEqual([undefined, undefined, undefined]);
  });

  it("is by default the best search of the check before, else the first of this one", () => {
    const ids = (pair: ReturnType<typeof defaultPair>) => pair.map((one) => one?.id);
    expect(ids(defaultPair(now, old))).toEqual(["2", "5"]);
    expect(ids(defaultPair(now, undefined))).toEqual(["3", "5"]);
    expect(ids(defaultPair(run(setting("1", "keywords")), undefined))).toEqual([undefined, "1"]);
    expect(ids(defaultPair(run(setting("1", "keywords", "down")), undefined))).toEqual([
      undefined,
      undefined,
    ]);
  });
});
