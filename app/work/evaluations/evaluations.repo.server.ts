import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, or, sql } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, preparedDelete, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import {
  evaluationItems,
  evaluationQuestions,
  evaluationResults,
  evaluationRuns,
  evaluationSets,
} from "~db/schema";
import type { Figures } from "./evaluations.schema";

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

/** @returns how many */
export const changeSetAuthor = (tx: Db, owner: Viewer, recipient: string): number =>
  tx.update(evaluationSets).set({ createdBy: recipient }).where(createdBy(owner)).run().changes;

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
/** Instructions may have 800,000 characters. */
export type ListedRunRow = Omit<RunRow, "instructions">;

/** Newest first. */
export const listRunRows = (tx: Db, setId: string): ListedRunRow[] =>
  tx
    .select(listed)
    .from(evaluationRuns)
    .where(eq(evaluationRuns.setId, setId))
    .orderBy(desc(evaluationRuns.createdAt), desc(evaluationRuns.id))
    .all();

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

/** Makes a result for each question and subject of a run, unless it is there. */
export const insertCells = (tx: Db, runId: string) =>
  tx.run(sql`INSERT OR IGNORE INTO ${evaluationResults}
    (run_id, position, subject, cost_micros, duration_ms, cited, reasons, created_at)
    SELECT items.run_id, items.position, subjects.key, 0, 0, '[]', '[]', ${now()}
    FROM ${evaluationItems} items JOIN ${evaluationRuns} runs ON runs.id = items.run_id, json_each(runs.subjects) subjects
    WHERE items.run_id = ${runId}`);

export interface Cell {
  item: ItemRow;
  result: ResultRow;
}

/** The next one after another one that has no outcome. */
export function findOpenCell(tx: Db, runId: string, after?: ResultRow): Cell | undefined {
  const { position, subject, outcome } = evaluationResults;
  const isLater = after && sql`(${position}, ${subject}) > (${after.position}, ${after.subject})`;
  const isSameItem = and(eq(evaluationItems.runId, runId), eq(evaluationItems.position, position));
  return tx
    .select({ item: evaluationItems, result: evaluationResults })
    .from(evaluationResults)
    .innerJoin(evaluationItems, isSameItem)
    .where(and(eq(evaluationResults.runId, runId), isNull(outcome), isLater))
    .orderBy(asc(position), asc(subject))
    .get();
}

export const findResult = preparedFind(evaluationResults, "runId", "position", "subject");

/** @param added what it has cost, in millionths of a dollar; null if that is unknown */
export function changeResult(
  tx: Db,
  { runId, position, subject }: ResultRow,
  change: Partial<ResultRow>,
  added: number | null,
): void {
  const results = evaluationResults;
  tx.update(results)
    .set({ ...change, costMicros: sql`${results.costMicros} + ${added}` })
    .where(and(eq(results.runId, runId), eq(results.position, position), eq(results.subject, subject)))
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

/** Forgets what went wrong: without an answer it is asked again, with one it is judged again. */
export const reopenErrors = (tx: Db, runId: string) =>
  tx
    .update(evaluationResults)
    .set({ outcome: null, reasons: [] })
    .where(and(eq(evaluationResults.runId, runId), eq(evaluationResults.outcome, "error")))
    .run();

/** Figures of each subject up to now. */
export function sumResults(tx: Db, { id, subjects }: Pick<RunRow, "id" | "subjects">): Figures[] {
  const { subject, outcome, durationMs, costMicros, answer } = evaluationResults;
  const countOf = (value: string) => sql<number>`sum(${outcome} IS ${value})`;
  const sums = tx
    .select({
      subject,
      passed: countOf("passed"),
      failed: countOf("failed"),
      errors: countOf("error"),
      costMicros: sql<number | null>`iif(count(${costMicros}) < count(*), NULL, sum(${costMicros}))`,
      meanMs: sql<number | null>`CAST(round(avg(iif(${answer} IS NULL, NULL, ${durationMs}))) AS INTEGER)`,
    })
    .from(evaluationResults)
    .where(eq(evaluationResults.runId, id))
    .groupBy(subject)
    .all();
  return subjects.map((_, at) => {
    const { subject: __, ...sum } = sums.find((one) => one.subject === at) ?? { ...NONE, subject: at };
    return sum;
  });
}

const NONE: Figures = { passed: 0, failed: 0, errors: 0, costMicros: 0, meanMs: null };
