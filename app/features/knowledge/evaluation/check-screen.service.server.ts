import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { pageOf } from "~/core/page-of";
import { may, refusal } from "~/features/members/authorisation.server";
import { ragStatus } from "../index/rag-status.service.server";
import { bestSentences } from "../language/quote.shared";
import { locationOf } from "../search/passages.shared";
import { SearchInput } from "../search/search.schema";
import { searchDocuments } from "../search/search.service.server";
import type { PassageChoice, QuestionForm } from "./check-form.shared";
import { settingLabel } from "./check-labels.shared";
import { baselineOf, compareQuestions, defaultPair, orderQuestions } from "./compare";
import { everyone } from "./everyone.server";
import { readShared } from "./figures.server";
import { coveredShare } from "./matching";
import type { CheckRun, CheckScreenQuery } from "./retrieval-check.schema";
import { listRuns, readResults } from "./retrieval-check.service.server";
import { importFile, listQuestions, readQuestion, saveQuestion } from "./retrieval-questions.service.server";

const RUNS = 10;
const COMPARED = 25;
const LISTED = 20;
const OFFERED = 10;
const PROPOSED = 160;

/** Compares the results of two settings, each question once. */
function compare(orgId: string, before: string | undefined, after: string) {
  const results = readResults(orgId, before ? [before, after] : [after]);
  return compareQuestions(before ? (results.get(before) ?? []) : [], results.get(after) ?? []);
}

/** The check's age, if several are compared. */
function ageOf(one: CheckRun, shown: CheckRun, runs: readonly CheckRun[]): string {
  if (runs.length === 1) return "";
  const age = runs.indexOf(one) - runs.indexOf(shown);
  if (age === 0) return " (this check)";
  const by = Math.abs(age);
  return by === 1
    ? ` (the check ${age > 0 ? "before" : "after"})`
    : ` (${by} checks ${age > 0 ? "before" : "after"})`;
}

function readComparison(actor: Actor, query: CheckScreenQuery, run: CheckRun, runs: readonly CheckRun[]) {
  const choices = runs.flatMap((one) =>
    one.settings
      .filter(({ error }) => error === null)
      .map((setting) => ({ id: setting.id, label: `${settingLabel(setting)}${ageOf(one, run, runs)}` })),
  );
  const known = (id: string | undefined) => choices.find((choice) => choice.id === id)?.id;
  const earlier = runs[runs.indexOf(run) + 1];
  const [before, after] = defaultPair(run, earlier);
  const b = known(query.b) ?? after?.id;
  if (!b) return undefined;
  const a = query.a === undefined ? before?.id : known(query.a);
  const questions = compare(actor.orgId, a, b);
  const count = (change: "worse" | "better") => questions.filter((one) => one.change === change).length;
  return {
    choices,
    before: a ?? "",
    after: b,
    worse: count("worse"),
    better: count("better"),
    questions: pageOf(orderQuestions(questions, query), query.page, COMPARED),
  };
}

function findWaiting(actor: Actor) {
  const waiting = ragStatus(actor).indexes.find(({ state }) => state === "ready");
  if (!waiting) return undefined;
  const { id, embedder, chunkTokens, chunkOverlap, store } = waiting;
  const parts = [
    embedder?.label ?? "keywords only",
    `${chunkTokens} tokens, ${chunkOverlap} overlap`,
    store === "none" ? "" : store,
  ];
  return { id, label: parts.filter(Boolean).join(" · ") };
}

async function compareFigures(actor: Actor, run: CheckRun, earlier: CheckRun | undefined) {
  const held = run.settings.map((setting) => ({ setting, baseline: baselineOf(setting, run, earlier) }));
  const pairs = held.flatMap(({ setting, baseline }) =>
    baseline ? [{ before: baseline.id, after: setting.id }] : [],
  );
  const shared = await readShared(actor.orgId, [run.id, ...(earlier ? [earlier.id] : [])], pairs);
  return held.map(({ setting }) => ({ setting, shared: shared.get(setting.id) }));
}

export async function readCheckScreen(actor: Actor, query: CheckScreenQuery) {
  const all = listRuns(actor, RUNS);
  const runs = all.filter(({ state }) => state === "done");
  const run = runs.find(({ id }) => id === query.run) ?? runs[0];
  const earlier = run && runs[runs.indexOf(run) + 1];
  const questions = listQuestions(actor);
  return {
    questions: pageOf(questions, query.list, LISTED),
    asked: query.dialog === "delete" ? questions.find(({ id }) => id === query.id) : undefined,
    running: all.find(({ state }) => state === "running"),
    runs,
    run,
    figures: run ? await compareFigures(actor, run, earlier) : [],
    compared: run && readComparison(actor, query, run, runs),
    waiting: findWaiting(actor),
    refusal: may(actor, "documents.write") ? undefined : refusal("documents.write"),
  };
}

async function searchFor(
  actor: Actor,
  question: string,
  signal?: AbortSignal,
): Promise<{ choices: PassageChoice[]; notice: string | undefined }> {
  try {
    const input = SearchInput.parse({ query: question, topK: OFFERED });
    const { results, notice } = await searchDocuments(everyone(actor.orgId), input, signal);
    const choices = results.map(({ content, metadata }) => ({
      documentId: metadata.documentId,
      document: metadata.title,
      location: locationOf(metadata),
      // Without the ellipses that mark omissions.
      quote: bestSentences(content, question, PROPOSED).replace(/^… | …$/g, ""),
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
  const found = q?.trim() ? await searchFor(actor, question, signal) : { choices: [], notice: undefined };
  const fresh = found.choices.filter(
    ({ documentId, quote }) =>
      !own.some((passage) => passage.documentId === documentId && coveredShare(passage.quote, quote) > 0.5),
  );
  return {
    ...(saved ? { id: saved.id } : {}),
    question,
    choices: [...own, ...fresh],
    other: { document: "", quote: "" },
    ...(found.notice ? { notice: found.notice } : {}),
  };
}

/** Saves a question. @returns the form with its error if it can't be saved */
export function submitQuestion(actor: Actor, form: QuestionForm): QuestionForm | undefined {
  try {
    saveQuestion(actor, form);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { ...form, error: error.message };
  }
}

export async function submitImport(
  actor: Actor,
  json: string,
): Promise<{ done: string } | { sent: string; error: string }> {
  try {
    const { added, skipped } = await importFile(actor, json);
    const rest = skipped > 0 ? `; ${skipped} skipped: already saved, or without a matching document` : "";
    return { done: `${added} added${rest}` };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { sent: json, error: error.message };
  }
}
