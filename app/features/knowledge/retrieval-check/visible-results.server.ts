import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { HIDDEN_QUESTION } from "../check-words.schema";
import {
  listPassageRows,
  listQuestionRows,
  listRunResults,
  listSeenIds,
  type PassageRow,
  type QuestionRow,
} from "../retrieval-check.repo.server";
import { type CheckedQuestion, StoredQuestion } from "../retrieval-check.schema";

/**
 * Whether someone may read a question's words: who wrote it, and who sees a document that it is about. Once all its
 * documents are gone for good nobody can tell any more who saw them: then its words are its writer's alone.
 */
export function mayReadQuestion(
  { userId }: Pick<Actor, "userId">,
  { createdBy }: Pick<QuestionRow, "createdBy">,
  passages: readonly Pick<PassageRow, "seen">[],
): boolean {
  return createdBy === userId || passages.some(({ seen }) => seen);
}

/**
 * What each question found in some settings, as the reader may know it, whoever ran the check: one that was judged by a
 * document they don't see counts as not judged, and one about nothing they see keeps its words to itself. The rule that
 * `figureQuery` has in SQL; a test holds the two together.
 *
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
    // Of checks from before documents were kept, the question's own of today tell. What is gone is seen by nobody.
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
