import { and, asc, count, desc, eq, getTableColumns, inArray, or, sql } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import {
  evaluationItems,
  evaluationQuestions,
  evaluationResults,
  evaluationRuns,
  evaluationSets,
} from "~db/schema";

export type SetRow = typeof evaluationSets.$inferSelect;
export type QuestionRow = typeof evaluationQuestions.$inferSelect;
export type RunRow = typeof evaluationRuns.$inferSelect;
export type ItemRow = typeof evaluationItems.$inferSelect;
export type ResultRow = typeof evaluationResults.$inferSelect;

type Viewer = Pick<Actor, "orgId" | "userId">;

const createdBy = ({ orgId, userId }: Viewer) =>
  and(eq(evaluationSets.orgId, orgId), eq(evaluationSets.createdBy, userId));

/** One's own and shared ones. */
const isVisible = (viewer: Viewer) =>
  and(eq(evaluationSets.orgId, viewer.orgId), or(eq(evaluationSets.shared, true), createdBy(viewer)));

/** By name, with the number of questions. */
export const listSetRows = (tx: Db, viewer: Viewer) =>
  tx
    .select({
      ...getTableColumns(evaluationSets),
      questions: tx.$count(evaluationQuestions, eq(evaluationQuestions.setId, evaluationSets.id)),
    })
    .from(evaluationSets)
    .where(isVisible(viewer))
    .orderBy(asc(evaluationSets.name), asc(evaluationSets.id))
    .all();

export const findSetRow = (tx: Db, viewer: Viewer, id: string): SetRow | undefined =>
  tx
    .select()
    .from(evaluationSets)
    .where(and(isVisible(viewer), eq(evaluationSets.id, id)))
    .get();

export const countSets = (tx: Db, orgId: string): number =>
  tx.select({ n: count() }).from(evaluationSets).where(eq(evaluationSets.orgId, orgId)).get()?.n ?? 0;

export const insertSet = preparedInsert(evaluationSets);
export const updateSetRow = preparedUpdate(evaluationSets, "id");
export const deleteSetRow = preparedDelete(evaluationSets, "id");

export const countSetsOf = (tx: Db, owner: Viewer): number =>
  tx.select({ n: count() }).from(evaluationSets).where(createdBy(owner)).get()?.n ?? 0;

/** @returns how many */
export const changeSetAuthor = (tx: Db, owner: Viewer, recipient: string): number =>
  tx.update(evaluationSets).set({ createdBy: recipient }).where(createdBy(owner)).run().changes;

export const listSetIdsOf = (tx: Db, owner: Viewer, limit: number): string[] =>
  tx
    .select({ id: evaluationSets.id })
    .from(evaluationSets)
    .where(createdBy(owner))
    .limit(limit)
    .all()
    .map(({ id }) => id);

export const listQuestionRows = (tx: Db, setId: string): QuestionRow[] =>
  tx
    .select()
    .from(evaluationQuestions)
    .where(eq(evaluationQuestions.setId, setId))
    .orderBy(asc(evaluationQuestions.createdAt), asc(evaluationQuestions.id))
    .all();

export const countQuestions = (tx: Db, setId: string): number =>
  tx.select({ n: count() }).from(evaluationQuestions).where(eq(evaluationQuestions.setId, setId)).get()?.n ??
  0;

export const findQuestionRow = preparedFind(evaluationQuestions, "setId", "id");
export const insertQuestion = preparedInsert(evaluationQuestions);
export const updateQuestionRow = preparedUpdate(evaluationQuestions, "id");
export const deleteQuestionRow = preparedDelete(evaluationQuestions, "id");

export const insertRun = preparedInsert(evaluationRuns);
export const updateRun = preparedUpdate(evaluationRuns, "id");
export const deleteRunRow = preparedDelete(evaluationRuns, "id");
export const findRun = preparedFind(evaluationRuns, "id");

const { instructions: _, ...listed } = getTableColumns(evaluationRuns);
export type ListedRunRow = Omit<RunRow, "instructions">;

/** Newest first. */
export const listRunRows = (tx: Db, setId: string, limit: number): ListedRunRow[] =>
  tx
    .select(listed)
    .from(evaluationRuns)
    .where(eq(evaluationRuns.setId, setId))
    .orderBy(desc(evaluationRuns.createdAt), desc(evaluationRuns.id))
    .limit(limit)
    .all();

/** Newest first. */
export const listRunIds = (tx: Db, setId: string): string[] =>
  tx
    .select({ id: evaluationRuns.id })
    .from(evaluationRuns)
    .where(eq(evaluationRuns.setId, setId))
    .orderBy(desc(evaluationRuns.createdAt), desc(evaluationRuns.id))
    .all()
    .map(({ id }) => id);

export const hasOpenRun = (tx: Db, setId: string): boolean =>
  tx
    .select({ id: evaluationRuns.id })
    .from(evaluationRuns)
    .where(and(eq(evaluationRuns.setId, setId), inArray(evaluationRuns.state, ["queued", "running"])))
    .get() !== undefined;

export const insertItem = preparedInsert(evaluationItems);

export const countItems = (tx: Db, runId: string): number =>
  tx.select({ n: count() }).from(evaluationItems).where(eq(evaluationItems.runId, runId)).get()?.n ?? 0;

export const listItems = (tx: Db, runId: string, after: number, limit: number): ItemRow[] =>
  tx
    .select()
    .from(evaluationItems)
    .where(and(eq(evaluationItems.runId, runId), sql`${evaluationItems.position} > ${after}`))
    .orderBy(asc(evaluationItems.position))
    .limit(limit)
    .all();

export const findResult = preparedFind(evaluationResults, "runId", "position", "subject");
export const insertResult = preparedInsert(evaluationResults);

export function updateResult(
  tx: Db,
  { runId, position, subject }: Pick<ResultRow, "runId" | "position" | "subject">,
  change: Partial<ResultRow>,
): void {
  const { runId: run, position: at, subject: of } = evaluationResults;
  tx.update(evaluationResults)
    .set(change)
    .where(and(eq(run, runId), eq(at, position), eq(of, subject)))
    .run();
}

/** Deletes what a run that is gone left, some rows at a time. @returns how many */
export function deleteRunRows(tx: Db, runId: string, limit: number): number {
  const deleteSome = (table: typeof evaluationItems | typeof evaluationResults) =>
    tx.run(sql`DELETE FROM ${table} WHERE rowid IN
      (SELECT rowid FROM ${table} WHERE run_id = ${runId} LIMIT ${limit})`).changes;
  return deleteSome(evaluationResults) || deleteSome(evaluationItems);
}

export const listResults = (tx: Db, runId: string, positions: readonly number[]): ResultRow[] =>
  tx
    .select()
    .from(evaluationResults)
    .where(and(eq(evaluationResults.runId, runId), inArray(evaluationResults.position, [...positions])))
    .all();

/** Positions and subjects with an outcome. */
export const listJudged = (tx: Db, runId: string): { position: number; subject: number }[] =>
  tx
    .select({ position: evaluationResults.position, subject: evaluationResults.subject })
    .from(evaluationResults)
    .where(and(eq(evaluationResults.runId, runId), sql`${evaluationResults.outcome} is not null`))
    .all();

/** Forgets what went wrong: without an answer it is asked again, with one it is judged again. */
export function reopenErrors(tx: Db, runId: string): void {
  const failed = and(eq(evaluationResults.runId, runId), eq(evaluationResults.outcome, "error"));
  tx.delete(evaluationResults)
    .where(and(failed, sql`${evaluationResults.answer} is null`))
    .run();
  tx.update(evaluationResults).set({ outcome: null, reasons: [] }).where(failed).run();
}

export interface SubjectSums {
  subject: number;
  passed: number;
  failed: number;
  errors: number;
  answers: number;
  durationMs: number;
  costMicros: number;
  unpriced: number;
}

/** Figures by subject. */
export function sumResults(tx: Db, runId: string): SubjectSums[] {
  const { subject, outcome, durationMs, costMicros, answer } = evaluationResults;
  const countOf = (value: string) => sql<number>`coalesce(sum(${outcome} = ${value}), 0)`;
  return tx
    .select({
      subject,
      passed: countOf("passed"),
      failed: countOf("failed"),
      errors: countOf("error"),
      answers: count(answer),
      durationMs: sql<number>`coalesce(sum(iif(${answer} is null, 0, ${durationMs})), 0)`,
      costMicros: sql<number>`coalesce(sum(${costMicros}), 0)`,
      unpriced: sql<number>`sum(${costMicros} is null and ${answer} is not null)`,
    })
    .from(evaluationResults)
    .where(eq(evaluationResults.runId, runId))
    .groupBy(subject)
    .all();
}

/** What a run has cost, in millionths of a dollar; null after a call of unknown cost. */
export function costOfRun(tx: Db, runId: string): number | null {
  const sums = sumResults(tx, runId);
  return sums.some(({ unpriced }) => unpriced > 0)
    ? null
    : sums.reduce((total, { costMicros }) => total + costMicros, 0);
}
