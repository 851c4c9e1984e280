import { and, asc, count, eq, inArray, lte, notExists, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, ingestBatches, ingestJobs, isVisibleTo } from "~db/schema";

type JobRow = typeof ingestJobs.$inferSelect;
export type BatchRow = typeof ingestBatches.$inferSelect;

export function insertBatch(tx: Db, row: typeof ingestBatches.$inferInsert): void {
  tx.insert(ingestBatches).values(row).run();
}

export function updateBatch(
  tx: Db,
  id: string,
  change: Partial<Pick<BatchRow, "label" | "cancelledAt">>,
): void {
  tx.update(ingestBatches).set(change).where(eq(ingestBatches.id, id)).run();
}

/** A batch is visible to the person who started it. */
export function findBatch(
  tx: Db,
  { orgId, userId }: { orgId: string; userId: string },
  id: string,
): BatchRow | undefined {
  const own = and(eq(ingestBatches.orgId, orgId), eq(ingestBatches.userId, userId), eq(ingestBatches.id, id));
  return tx.select().from(ingestBatches).where(own).get();
}

/** Excludes hidden and deleted documents; a sitemap's job has none. */
function jobsOf({ id, userId }: BatchRow, more?: SQL): SQL | undefined {
  const isVisible = sql`(${ingestJobs.documentId} is null or ${isVisibleTo(userId, ingestJobs.documentId)})`;
  return and(eq(ingestJobs.batchId, id), more, isVisible);
}

export function countBatchJobs(tx: Db, batch: BatchRow): { state: JobRow["state"]; jobs: number }[] {
  return tx
    .select({ state: ingestJobs.state, jobs: count() })
    .from(ingestJobs)
    .where(jobsOf(batch))
    .groupBy(ingestJobs.state)
    .all();
}

const BY_URGENCY = sql`case ${ingestJobs.state} when 'failed' then 0 when 'running' then 1 else 2 end`;

/** A page of jobs with their documents' names: failed ones, then running ones, then the others. */
export function pageBatchJobs(tx: Db, batch: BatchRow, limit: number, offset: number) {
  return tx
    .select({ job: ingestJobs, name: documents.name })
    .from(ingestJobs)
    .leftJoin(documents, eq(documents.id, ingestJobs.documentId))
    .where(jobsOf(batch))
    .orderBy(BY_URGENCY, asc(ingestJobs.createdAt), asc(ingestJobs.id))
    .limit(limit)
    .offset(offset)
    .all();
}

export function listOpenJobs(tx: Db, batch: BatchRow): JobRow[] {
  return tx
    .select()
    .from(ingestJobs)
    .where(jobsOf(batch, inArray(ingestJobs.state, ["queued", "running"])))
    .orderBy(asc(ingestJobs.createdAt), asc(ingestJobs.id))
    .all();
}

export function listBatchSources(tx: Db, batchId: string): string[] {
  return tx
    .select({ source: documents.source })
    .from(ingestJobs)
    .innerJoin(documents, eq(documents.id, ingestJobs.documentId))
    .where(eq(ingestJobs.batchId, batchId))
    .all()
    .map(({ source }) => source);
}

export function deleteOldBatches(tx: Db, before: number, limit: number): void {
  const jobs = tx.select({ one: sql`1` }).from(ingestJobs).where(eq(ingestJobs.batchId, ingestBatches.id));
  const old = tx
    .select({ id: ingestBatches.id })
    .from(ingestBatches)
    .where(and(lte(ingestBatches.createdAt, before), notExists(jobs)))
    .limit(limit);
  tx.delete(ingestBatches).where(inArray(ingestBatches.id, old)).run();
}
