import { and, asc, count, desc, eq, inArray, notInArray, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, isVisibleTo, retrievalPassages, retrievalQuestions, retrievalRuns } from "~db/schema";

export type QuestionRow = typeof retrievalQuestions.$inferSelect;
type RunRow = typeof retrievalRuns.$inferSelect;

const EVERYONE = "*";

export function listQuestionRows(tx: Db, orgId: string): QuestionRow[] {
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

export function findQuestionRow(tx: Db, orgId: string, id: string): QuestionRow | undefined {
  return tx
    .select()
    .from(retrievalQuestions)
    .where(and(eq(retrievalQuestions.orgId, orgId), eq(retrievalQuestions.id, id)))
    .get();
}

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

export function insertQuestion(tx: Db, row: QuestionRow): void {
  tx.insert(retrievalQuestions).values(row).run();
}

export function updateQuestionRow(tx: Db, id: string, change: Partial<QuestionRow>): void {
  tx.update(retrievalQuestions).set(change).where(eq(retrievalQuestions.id, id)).run();
}

export function deleteQuestionRow(tx: Db, id: string): void {
  tx.delete(retrievalQuestions).where(eq(retrievalQuestions.id, id)).run();
}

export function insertPassage(tx: Db, row: typeof retrievalPassages.$inferInsert): void {
  tx.insert(retrievalPassages).values(row).run();
}

export function deletePassageRows(tx: Db, questionId: string): void {
  tx.delete(retrievalPassages).where(eq(retrievalPassages.questionId, questionId)).run();
}

export function findPublicDocument(tx: Db, orgId: string, by: { id: string } | { name: string }) {
  return tx
    .select({ id: documents.id })
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

export function insertRun(tx: Db, row: typeof retrievalRuns.$inferInsert): void {
  tx.insert(retrievalRuns).values(row).run();
}

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
