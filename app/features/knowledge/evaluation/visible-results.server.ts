import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { HIDDEN_QUESTION } from "./check-labels.shared";
import {
  listPassageRows,
  listQuestionRows,
  listRunResults,
  listSeenIds,
  type PassageRow,
  type QuestionRow,
} from "./retrieval-check.repo.server";
import { type CheckedQuestion, StoredQuestion } from "./retrieval-check.schema";

/**
 * Whether someone may read a question: its author, and those who see a document that it is about. Once all its
 * documents are purged their former visibility is unknown, so only its author may.
 */
export function mayReadQuestion(
  { userId }: Pick<Actor, "userId">,
  { createdBy }: Pick<QuestionRow, "createdBy">,
  passages: readonly Pick<PassageRow, "seen">[],
): boolean {
  return createdBy === userId || passages.some(({ seen }) => seen);
}

/**
 * Each question's result in some settings as far as the reader may see it: one judged by a document they don't see
 * counts as not judged, and one without visible documents hides its text. The same rule is in SQL in `figureQuery`; a
 * test compares the two.
 * @returns by the settings' ids
 */
export function readVisibleResults(
  actor: Actor,
  settings: readonly string[],
): Map<string, CheckedQuestion[]> {
  const stored = listRunResults(db(), actor.orgId, settings).map(
    ({ id, results }) => [id, StoredQuestion.array().catch([]).parse(results)] as const,
  );
  const questions = new Map(listQuestionRows(db(), actor.orgId).map((row) => [row.id, row]));
  const passages = new Map<string, PassageRow[]>();
  for (const row of listPassageRows(db(), actor))
    passages.set(row.questionId, [...(passages.get(row.questionId) ?? []), row]);
  const named = new Set(stored.flatMap(([, results]) => results.flatMap(({ documents }) => documents ?? [])));
  const seen = new Set(listSeenIds(db(), actor, [...named]));

  const show = ({ documents: kept, ...result }: StoredQuestion): CheckedQuestion => {
    const now = passages.get(result.questionId) ?? [];
    const row = questions.get(result.questionId);
    // Checks from before documents were recorded use the question's current ones. Purged documents are visible to no
    // one.
    const isSeen = kept ? kept.map((id) => seen.has(id)) : now.map((passage) => passage.seen);
    const isJudged = result.judged && isSeen.length > 0 && isSeen.every(Boolean);
    // By what it was judged by: the question may be about something else by now, the stored words aren't.
    const mayRead = isSeen.some(Boolean) || row?.createdBy === actor.userId;
    return {
      ...result,
      ...(mayRead ? {} : { question: HIDDEN_QUESTION }),
      ...(isJudged ? {} : { judged: false, firstRank: null, ndcg: 0 }),
    };
  };
  return new Map(stored.map(([id, results]) => [id, results.map(show)]));
}
