import { locationOf } from "~/ai/models/quoted-passages.shared";
import type { Actor } from "~/core/actor";
import { pageOf } from "~/core/cursor";
import { AppError } from "~/core/errors";
import { bestSentences } from "~/core/language/quote.shared";
import { dayLabels } from "~/core/time-zone";
import { may, refusal } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { layOutChart } from "~/ui/chart-layout.server";
import { SearchInput } from "../search.schema";
import { searchDocuments } from "../search.service.server";
import type { PassageChoice, QuestionForm } from "./check-form.shared";
import { settingLabel } from "./check-form.shared";
import { baselineOf, compareQuestions, defaultPair, orderQuestions, sharedFigures } from "./compare";
import { coveredShare } from "./metrics";
import type { CheckedSetting, CheckRun, CheckScreenQuery } from "./retrieval-check.schema";
import { listRuns, readResults } from "./retrieval-check.service.server";
import { listQuestions, readQuestion, saveQuestion } from "./retrieval-questions.service.server";
import { publicActor } from "./run-check.server";

const MAX_RUNS = 10;
const COMPARISON_PAGE_SIZE = 25;
const QUESTION_PAGE_SIZE = 20;
const MAX_SUGGESTIONS = 10;
/** In characters. */
const SUGGESTED_QUOTE_LENGTH = 160;

/** The best search of this check and of the previous one, question by question. */
function readComparison(actor: Actor, query: CheckScreenQuery, run: CheckRun, earlier: CheckRun | undefined) {
  const [before, after] = defaultPair(run, earlier);
  if (!after) return undefined;
  const results = readResults(actor.orgId, before ? [before.id, after.id] : [after.id]);
  const of = (setting: CheckedSetting | undefined) => (setting && results.get(setting.id)) ?? [];
  const questions = compareQuestions(of(before), of(after));
  const count = (change: "worse" | "better") => questions.filter((one) => one.change === change).length;
  const isEarlier = before && !run.settings.includes(before);
  return {
    before: before && `${settingLabel(before)}${isEarlier ? " (previous check)" : ""}`,
    after: settingLabel(after),
    worse: count("worse"),
    better: count("better"),
    questions: pageOf(orderQuestions(questions, query), query.page, COMPARISON_PAGE_SIZE),
  };
}

function compareFigures(actor: Actor, run: CheckRun, earlier: CheckRun | undefined) {
  const ids = [...run.settings, ...(earlier?.settings ?? [])].map(({ id }) => id);
  const results = readResults(actor.orgId, ids);
  return run.settings.map((setting) => {
    const baseline = baselineOf(setting, earlier);
    const [before, after] = [results.get(baseline?.id ?? ""), results.get(setting.id)];
    return { setting, shared: before && after && sharedFigures(before, after) };
  });
}

export function readCheckScreen(actor: Actor, query: CheckScreenQuery) {
  const all = listRuns(actor, MAX_RUNS);
  const runs = all.filter(({ state }) => state === "done");
  const run = runs.find(({ id }) => id === query.run) ?? runs[0];
  const earlier = run && runs[runs.indexOf(run) + 1];
  const questions = listQuestions(actor);
  return {
    questions: pageOf(questions, query.list, QUESTION_PAGE_SIZE),
    questionToDelete: query.dialog === "delete" ? questions.find(({ id }) => id === query.id) : undefined,
    running: all.find(({ state }) => state === "running"),
    runs,
    run,
    history: drawHistory(actor, runs),
    figures: run ? compareFigures(actor, run, earlier) : [],
    compared: run && readComparison(actor, query, run, earlier),
    refusal: may(actor, "documents.write") ? undefined : refusal("documents.write"),
  };
}

const MODES = ["hybrid", "keywords", "vectors"] as const;

/** The hit rate of each way of searching over the checks that have ended; undefined for fewer than two. */
function drawHistory({ orgId }: Actor, runs: readonly CheckRun[]) {
  if (runs.length < 2) return undefined;
  const drawn = runs.toReversed();
  const days = dayLabels(
    drawn.map(({ createdAt }) => createdAt),
    orgTimeZone(orgId),
  );
  const shown = MODES.filter((mode) =>
    runs.some(({ settings }) => settings.some((one) => one.mode === mode && one.hitRate !== null)),
  );
  const rateOf = ({ settings }: CheckRun, mode: (typeof MODES)[number] | undefined) => {
    const rate = settings.find((one) => one.mode === mode)?.hitRate ?? null;
    return rate === null ? null : Math.round(rate * 100);
  };
  return layOutChart({
    unit: "percent",
    kind: "lines",
    height: 160,
    series: shown.map((mode) => ({ name: settingLabel({ mode }), color: MODES.indexOf(mode) })),
    points: drawn.map((run, index) => ({
      at: run.id,
      label: days[index] ?? "",
      total: rateOf(run, shown[0]),
      values: shown.map((mode) => rateOf(run, mode)),
      to: `/rag/check?run=${run.id}`,
    })),
  });
}

async function searchFor(
  actor: Actor,
  question: string,
  signal?: AbortSignal,
): Promise<{ choices: PassageChoice[]; notice: string | undefined }> {
  try {
    const input = SearchInput.parse({ query: question, topK: MAX_SUGGESTIONS });
    const { results, notice } = await searchDocuments(publicActor(actor.orgId), input, signal);
    const choices = results.map(({ content, metadata }) => ({
      documentId: metadata.documentId,
      document: metadata.title,
      location: locationOf(metadata),
      // Ellipses mark omissions and aren't in the document.
      quote: bestSentences(content, question, SUGGESTED_QUOTE_LENGTH).replace(/^… | …$/g, ""),
      ticked: false,
    }));
    return {
      choices,
      notice: choices.length > 0 ? (notice ?? undefined) : "The search returned no passages.",
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { choices: [], notice: error.message };
  }
}

export async function readQuestionForm(
  actor: Actor,
  { id, q }: Pick<CheckScreenQuery, "id" | "q">,
  signal?: AbortSignal,
): Promise<QuestionForm> {
  const saved = id ? readQuestion(actor, id) : undefined;
  const question = q?.trim() || saved?.question || "";
  const own = (saved?.passages ?? []).map((passage) => ({ ...passage, location: "", ticked: true }));
  const results = q?.trim() ? await searchFor(actor, question, signal) : { choices: [], notice: undefined };
  const fresh = results.choices.filter(
    ({ documentId, quote }) =>
      !own.some((passage) => passage.documentId === documentId && coveredShare(passage.quote, quote) > 0.5),
  );
  return {
    ...(saved ? { id: saved.id } : {}),
    question,
    choices: [...own, ...fresh],
    other: { document: "", quote: "" },
    ...(results.notice ? { notice: results.notice } : {}),
  };
}

export function submitQuestion(actor: Actor, form: QuestionForm): QuestionForm | undefined {
  try {
    saveQuestion(actor, form);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    if (error.code !== "not_found") return { ...form, error: error.message };
    const { id: _deleted, ...typed } = form;
    return { ...typed, error: `${error.message} Add it again to keep what you typed.` };
  }
}
