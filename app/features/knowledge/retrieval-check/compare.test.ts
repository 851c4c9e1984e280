import { describe, expect, it } from "vitest";
import type { CheckedSetting, CheckRun } from "../retrieval-check.schema";
import { baselineOf, compareQuestions, defaultPair } from "./compare";

const asked = (questionId: string, firstRank: number | null, judged = true) => ({
  questionId,
  question: questionId,
  judged,
  firstRank,
  ndcg: firstRank === null ? 0 : 1 / firstRank,
});
const setting = (
  id: string,
  index: "serving" | "next",
  mode: CheckedSetting["mode"],
  error: string | null = null,
) => ({ id, index, mode, error }) as CheckedSetting;
const run = (...settings: CheckedSetting[]) => ({ settings }) as CheckRun;

describe("two settings, question by question", () => {
  it("tell what got worse first, and keep apart what can't be compared", () => {
    const before = [asked("a", 1), asked("b", 2), asked("c", 3), asked("d", 1), asked("e", null, false)];
    const after = [asked("a", 1), asked("b", 1), asked("c", null), asked("e", 1), asked("new", 1)];
    expect(compareQuestions(before, after)).toEqual([
      { questionId: "c", question: "c", before: 3, after: null, change: "worse" },
      { questionId: "b", question: "b", before: 2, after: 1, change: "better" },
      { questionId: "a", question: "a", before: 1, after: 1, change: "same" },
      { questionId: "e", question: "e", before: undefined, after: 1, change: "unjudged" },
      { questionId: "new", question: "new", before: undefined, after: 1, change: "unjudged" },
    ]);
  });
});

describe("what a setting is held against", () => {
  const old = run(setting("1", "serving", "keywords"), setting("2", "serving", "hybrid"));
  const now = run(
    setting("3", "serving", "keywords"),
    setting("4", "next", "keywords"),
    setting("5", "next", "hybrid"),
  );

  it("is the serving index of the same run for a new one, the run before for the serving one", () => {
    expect(now.settings.map((one) => baselineOf(one, now, old)?.id)).toEqual(["1", "3", "3"]);
    expect(old.settings.map((one) => baselineOf(one, old, undefined))).toEqual([undefined, undefined]);
  });

  it("is by default the old index beside the new, two runs, or the first way beside the last", () => {
    const ids = (pair: ReturnType<typeof defaultPair>) => pair.map((one) => one?.id);
    expect(ids(defaultPair(now, old))).toEqual(["3", "5"]);
    expect(ids(defaultPair(old, now))).toEqual(["3", "2"]);
    expect(ids(defaultPair(old, undefined))).toEqual(["1", "2"]);
    expect(ids(defaultPair(run(setting("1", "serving", "keywords")), undefined))).toEqual([undefined, "1"]);
    expect(ids(defaultPair(run(setting("1", "serving", "keywords", "down")), undefined))).toEqual([
      undefined,
      undefined,
    ]);
  });
});
