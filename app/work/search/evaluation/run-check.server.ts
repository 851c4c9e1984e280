import type { Actor } from "~/core/actor";
import { forEachConcurrently } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { append } from "~/platform/audit/audit.service.server";
import { chunkingOf } from "~/work/index/chunking/chunk";
import { labelOf } from "~/work/index/embedding/choose-embedder.server";
import type { IndexRow } from "~/work/index/indexes.repo.server";
import { systemActor } from "~/work/index/system-actor.server";
import { searchIndex } from "../retrieval/search-index.server";
import type { SearchMode } from "../retrieval/search-task";
import {
  CHECK_DEPTH,
  type FoundChunk,
  figuresOf,
  type QuestionScore,
  ranksOf,
  scoreQuestion,
} from "./metrics";
import {
  deleteOtherRuns,
  insertRun,
  listQuestionsWithPassages,
  listRunIds,
} from "./retrieval-check.repo.server";
import type { CheckedQuestion, CheckSetting } from "./retrieval-check.schema";

/** An actor limited to documents that everyone can view, as all checks are. */
export const publicActor = (orgId: string): Actor => ({ ...systemActor(orgId), role: "viewer" });

const MAX_STORED_RUNS = 30;
/** Concurrent searches: the threads are shared with users. */
const CONCURRENCY = 2;

/** Searches one index in one way, as an actor; best first. */
export type SearchOnce = (
  index: IndexRow,
  actor: Actor,
  query: string,
  topK: number,
  mode: SearchMode,
  signal: AbortSignal,
) => Promise<FoundChunk[]>;

export const modesOf = ({ spaceId }: IndexRow): SearchMode[] =>
  spaceId === null ? ["keywords"] : ["keywords", "vectors", "hybrid"];

export const listCheckQuestions = (orgId: string) =>
  listQuestionsWithPassages(db(), orgId).map(({ question: { id, question }, passages }) => ({
    questionId: id,
    question,
    passages,
  }));

type QuestionWithPassages = ReturnType<typeof listCheckQuestions>[number];

export interface RunOptions {
  run: string;
  index: IndexRow;
  search: SearchOnce;
  signal: AbortSignal;
  onSearch(): void;
}

interface Measured {
  scores: QuestionScore[];
  results: CheckedQuestion[];
  error: string | null;
}

async function measure(
  orgId: string,
  questions: readonly QuestionWithPassages[],
  mode: SearchMode,
  { index, search, signal, onSearch }: RunOptions,
): Promise<Measured> {
  const scored = new Map<QuestionWithPassages, QuestionScore>();
  const waiting = questions.filter(({ passages }) => passages.length > 0);
  const score = async (one: QuestionWithPassages) => {
    const results = await search(index, publicActor(orgId), one.question, CHECK_DEPTH, mode, signal);
    scored.set(one, scoreQuestion(ranksOf(one.passages, results.slice(0, CHECK_DEPTH))));
    onSearch();
  };
  try {
    // The first failure ends a setting, so that a broken embedder doesn't delay every question.
    await forEachConcurrently(waiting, CONCURRENCY, score, signal);
    signal.throwIfAborted();
  } catch (thrown) {
    signal.throwIfAborted();
    const error = explainStorageFault(thrown);
    if (error instanceof AppError) return { scores: [], results: [], error: error.message };
    log.error("a retrieval check failed", { error });
    const message = "The search failed unexpectedly. See the server log for the reason.";
    return { scores: [], results: [], error: message };
  }
  const results = questions.map((one) => ({
    questionId: one.questionId,
    question: one.question,
    judged: scored.has(one),
    ...(scored.get(one) ?? { firstRank: null, ndcg: 0 }),
  }));
  return { scores: [...scored.values()], results, error: null };
}

/**
 * Runs all questions on an index in each mode and stores the results.
 * @throws the signal's reason if aborted; nothing is stored
 */
export async function runCheck(actor: Actor, options: RunOptions): Promise<void> {
  const { run, index } = options;
  const questions = listCheckQuestions(actor.orgId);
  const judged = questions.filter(({ passages }) => passages.length > 0).length;
  const measured: { mode: SearchMode; outcome: Measured }[] = [];
  for (const mode of modesOf(index))
    measured.push({ mode, outcome: await measure(actor.orgId, questions, mode, options) });
  transaction((tx) => {
    const createdAt = now();
    for (const { mode, outcome } of measured) {
      const chunking = chunkingOf(index.chunkSet.key);
      const setting: CheckSetting = {
        run,
        mode,
        embedder: index.space && labelOf(index.space),
        chunking: `${chunking.target} tokens, ${chunking.overlap} overlap`,
        store: index.store,
        questions: questions.length,
        judged,
        error: outcome.error,
      };
      insertRun(tx, {
        id: newId("rrs"),
        orgId: actor.orgId,
        indexId: index.id,
        setting,
        ...figuresOf(outcome.scores),
        results: outcome.results,
        createdBy: actor.userId,
        createdAt,
      });
    }
    deleteOtherRuns(tx, actor.orgId, listRunIds(tx, actor.orgId, MAX_STORED_RUNS));
    append(tx, actor, {
      action: "retrieval_check.finished",
      resource: `retrieval-check:${run}`,
      details: { questions: questions.length, judged, settings: measured.length },
    });
  });
}

export const searchOnce: SearchOnce = async (index, actor, query, topK, mode, signal) => {
  const { passages, notice } = await searchIndex(index, actor, { query, topK, mode, signal });
  // A keyword-only fallback must not be recorded as another mode.
  if (notice) throw new AppError("unavailable", notice);
  return passages;
};
