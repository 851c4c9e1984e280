import { figuresOf } from "./metrics";
import type { CheckedQuestion, CheckedSetting, CheckRun, QuestionOrder } from "./retrieval-check.schema";

export interface ComparedQuestion {
  questionId: string;
  question: string;
  before?: number | null | undefined;
  after?: number | null | undefined;
  change: "worse" | "better" | "same" | "unjudged";
}

const ORDER = ["worse", "better", "same", "unjudged"] as const;
const TOLERANCE = 1e-9;

function changeOf(before: CheckedQuestion | undefined, after: CheckedQuestion): ComparedQuestion["change"] {
  if (!before?.judged || !after.judged) return "unjudged";
  const difference = after.ndcg - before.ndcg;
  if (Math.abs(difference) < TOLERANCE) return "same";
  return difference < 0 ? "worse" : "better";
}

export function compareQuestions(
  before: readonly CheckedQuestion[],
  after: readonly CheckedQuestion[],
): ComparedQuestion[] {
  const earlier = new Map(before.map((one) => [one.questionId, one]));
  const rankOf = (one: CheckedQuestion | undefined) => (one?.judged ? one.firstRank : undefined);
  return after
    .map((one) => ({
      questionId: one.questionId,
      question: one.question,
      before: rankOf(earlier.get(one.questionId)),
      after: rankOf(one),
      change: changeOf(earlier.get(one.questionId), one),
    }))
    .sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
}

const byText = new Intl.Collator("en", { numeric: true });

export function orderQuestions(
  questions: readonly ComparedQuestion[],
  { sort, order }: QuestionOrder,
): ComparedQuestion[] {
  const sign = order === "asc" ? 1 : -1;
  const rank = (value: number | null | undefined) => value ?? Number.MAX_SAFE_INTEGER;
  const difference = (a: ComparedQuestion, b: ComparedQuestion): number => {
    if (sort === "change") return ORDER.indexOf(a.change) - ORDER.indexOf(b.change);
    if (sort === "question") return byText.compare(a.question, b.question);
    return rank(a[sort]) - rank(b[sort]);
  };
  const unjudged = (one: ComparedQuestion) =>
    (sort === "before" || sort === "after") && one[sort] === undefined ? 1 : 0;
  return questions.toSorted((a, b) => unjudged(a) - unjudged(b) || sign * difference(a, b));
}

const measuredIn = (run: CheckRun | undefined) => run?.settings.filter(({ error }) => error === null) ?? [];

/** The same search in the check before. */
export function baselineOf(
  setting: CheckedSetting,
  earlier: CheckRun | undefined,
): CheckedSetting | undefined {
  return measuredIn(earlier).find(({ mode }) => mode === setting.mode);
}

/** The best search of the check before and of this one, or the first and the best of this one. */
export function defaultPair(
  run: CheckRun,
  earlier: CheckRun | undefined,
): [before: CheckedSetting | undefined, after: CheckedSetting | undefined] {
  const after = measuredIn(run).at(-1);
  const before = measuredIn(earlier).at(-1) ?? measuredIn(run)[0];
  return [before?.id === after?.id ? undefined : before, after];
}

/** Compares settings over the questions that both judged: means over different questions aren't comparable. */
export function sharedFigures(before: readonly CheckedQuestion[], after: readonly CheckedQuestion[]) {
  const earlier = new Map(before.filter(({ judged }) => judged).map((one) => [one.questionId, one]));
  const both = after.flatMap((one) => {
    const other = one.judged && earlier.get(one.questionId);
    return other ? [{ before: other, after: one }] : [];
  });
  if (both.length === 0) return undefined;
  return {
    questions: both.length,
    before: figuresOf(both.map((one) => one.before)),
    after: figuresOf(both.map((one) => one.after)),
  };
}
