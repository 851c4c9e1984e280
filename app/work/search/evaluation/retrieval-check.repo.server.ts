import { and, asc, count, desc, eq, inArray, notInArray, sql } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { documents, isVisibleTo, retrievalPassages, retrievalQuestions, retrievalRuns } from "~db/schema";

export type QuestionRow = typeof retrievalQuestions.$inferSelect;
type RunRow = typeof retrievalRuns.$inferSelect;

const EVERYONE = "*";

function listQuestionRows(tx: Db, orgId: string): QuestionRow[] {
  return tx
    .select()
    .from(retrievalQuestions)
    .where(eq(retrievalQuestions.orgId, orgId))
    .orderBy(asc(retrievalQuestions.createdAt), asc(retrievalQuestions.id))
    .all();
}

export function countQuestionRows(tx: Db, orgId: string): number {
  return (
    tx.select({ n: count() }).from(retrievalQuestions).where(eq(retrievalQuestions.orgId, orgId)).get()?.n ??
    0
  );
}

export const findQuestionRow = preparedFind(retrievalQuestions, "orgId", "id");

export function listPassageRows(tx: Db, orgId: string, questionIds?: readonly string[]) {
  return tx
    .select({
      id: retrievalPassages.id,
      questionId: retrievalPassages.questionId,
      documentId: retrievalPassages.documentId,
      quote: retrievalPassages.quote,
      document: documents.name,
    })
    .from(retrievalPassages)
    .innerJoin(documents, eq(documents.id, retrievalPassages.documentId))
    .where(
      and(
        eq(documents.orgId, orgId),
        isVisibleTo(EVERYONE, retrievalPassages.documentId),
        questionIds ? inArray(retrievalPassages.questionId, [...questionIds]) : undefined,
      ),
    )
    .orderBy(sql`${retrievalPassages}.rowid`)
    .all();
}
export type PassageRow = ReturnType<typeof listPassageRows>[number];

export const insertQuestion = preparedInsert(retrievalQuestions);
export const updateQuestionRow = preparedUpdate(retrievalQuestions, "id");
export const deleteQuestionRow = preparedDelete(retrievalQuestions, "id");
export const insertPassage = preparedInsert(retrievalPassages);
export const deletePassageRows = preparedDelete(retrievalPassages, "questionId");

/** Questions with their passages of documents that everyone can see. */
export function listQuestionsWithPassages(
  tx: Db,
  orgId: string,
): { question: QuestionRow; passages: PassageRow[] }[] {
  const byQuestion = new Map<string, PassageRow[]>();
  for (const passage of listPassageRows(tx, orgId))
    byQuestion.set(passage.questionId, [...(byQuestion.get(passage.questionId) ?? []), passage]);
  return listQuestionRows(tx, orgId).map((question) => ({
    question,
    passages: byQuestion.get(question.id) ?? [],
  }));
}

export function findPublicDocument(tx: Db, orgId: string, by: { id: string } | { name: string }) {
  return tx
    .select({ id: documents.id, name: documents.name })
    .from(documents)
    .where(
      and(
        eq(documents.orgId, orgId),
        isVisibleTo(EVERYONE, documents.id),
        "id" in by ? eq(documents.id, by.id) : eq(documents.name, by.name),
      ),
    )
    .orderBy(asc(documents.createdAt))
    .limit(1)
    .get();
}

export const insertRun = preparedInsert(retrievalRuns);

const RUN_ID = sql<string>`json_extract(${retrievalRuns.setting}, '$.run')`;

export function listRunIds(tx: Db, orgId: string, limit: number): string[] {
  return tx
    .select({ run: RUN_ID })
    .from(retrievalRuns)
    .where(eq(retrievalRuns.orgId, orgId))
    .groupBy(RUN_ID)
    .orderBy(desc(sql`max(${retrievalRuns.createdAt})`), desc(sql`max(${retrievalRuns}.rowid)`))
    .limit(limit)
    .all()
    .map(({ run }) => run);
}

export function listRunRows(tx: Db, orgId: string, runs: readonly string[]): Omit<RunRow, "results">[] {
  const { id, indexId, setting, hitRate, mrr, ndcg, createdBy, createdAt } = retrievalRuns;
  return tx
    .select({ id, orgId: retrievalRuns.orgId, indexId, setting, hitRate, mrr, ndcg, createdBy, createdAt })
    .from(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), inArray(RUN_ID, [...runs])))
    .orderBy(desc(retrievalRuns.createdAt), sql`${retrievalRuns}.rowid`)
    .all();
}

export function listRunResults(tx: Db, orgId: string, ids: readonly string[]) {
  return tx
    .select({ id: retrievalRuns.id, results: retrievalRuns.results })
    .from(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), inArray(retrievalRuns.id, [...ids])))
    .all();
}

export function deleteOtherRuns(tx: Db, orgId: string, keptIds: readonly string[]): void {
  tx.delete(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), notInArray(RUN_ID, [...keptIds])))
    .run();
}
