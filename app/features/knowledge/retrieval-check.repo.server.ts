import { and, asc, count, desc, eq, inArray, notInArray, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, documentViewers, retrievalPassages, retrievalQuestions, retrievalRuns } from "~db/schema";

export type QuestionRow = typeof retrievalQuestions.$inferSelect;
type RunRow = typeof retrievalRuns.$inferSelect;

interface Viewer {
  orgId: string;
  userId: string;
}

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

/** Whether someone sees the document of a passage: the one rule, as a condition. */
const seen = (viewer: Viewer) =>
  sql<number>`exists (select 1 from ${documentViewers} where ${documentViewers.documentId} = ${retrievalPassages.documentId} and ${documentViewers.userId} in ('*', ${viewer.userId}))`;

/** The passages of questions, each with its document's name and whether the viewer sees it. */
export function listPassageRows(tx: Db, viewer: Viewer, questionIds?: readonly string[]) {
  return tx
    .select({
      id: retrievalPassages.id,
      questionId: retrievalPassages.questionId,
      documentId: retrievalPassages.documentId,
      quote: retrievalPassages.quote,
      document: documents.name,
      seen: seen(viewer).mapWith(Boolean),
    })
    .from(retrievalPassages)
    .innerJoin(documents, eq(documents.id, retrievalPassages.documentId))
    .where(
      and(
        eq(documents.orgId, viewer.orgId),
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

export function deletePassageRows(tx: Db, ids: readonly string[]): void {
  tx.delete(retrievalPassages)
    .where(inArray(retrievalPassages.id, [...ids]))
    .run();
}

/** Which of some documents someone sees, by id; by name the oldest of that name. */
export function findSeenDocument(tx: Db, viewer: Viewer, by: { id: string } | { name: string }) {
  return tx
    .select({ id: documents.id })
    .from(documents)
    .innerJoin(documentViewers, eq(documentViewers.documentId, documents.id))
    .where(
      and(
        eq(documents.orgId, viewer.orgId),
        inArray(documentViewers.userId, ["*", viewer.userId]),
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

/** The ids of the newest runs. */
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

/** The settings of runs in the order they were measured, without what each question found. */
export function listRunRows(tx: Db, orgId: string, runs: readonly string[]): Omit<RunRow, "results">[] {
  const { id, indexId, setting, hitRate, mrr, ndcg, createdBy, createdAt } = retrievalRuns;
  return tx
    .select({ id, orgId: retrievalRuns.orgId, indexId, setting, hitRate, mrr, ndcg, createdBy, createdAt })
    .from(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), inArray(RUN_ID, [...runs])))
    .orderBy(desc(retrievalRuns.createdAt), sql`${retrievalRuns}.rowid`)
    .all();
}

/** What each question found, by the settings' ids. */
export function listRunResults(tx: Db, orgId: string, ids: readonly string[]) {
  return tx
    .select({ id: retrievalRuns.id, results: retrievalRuns.results })
    .from(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), inArray(retrievalRuns.id, [...ids])))
    .all();
}

/** Drops all runs but these. */
export function deleteOtherRuns(tx: Db, orgId: string, kept: readonly string[]): void {
  tx.delete(retrievalRuns)
    .where(and(eq(retrievalRuns.orgId, orgId), notInArray(RUN_ID, [...kept])))
    .run();
}
