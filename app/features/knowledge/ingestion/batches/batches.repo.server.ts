import { and, asc, count, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { documents, ingestJobs, isSeenBy } from "~db/schema";

type JobRow = typeof ingestJobs.$inferSelect;

/** The owner sees the batch's sitemap; documents require access. */
export interface BatchReader {
  batchId: string;
  userId: string;
  owns: boolean;
}

/** Excludes hidden and deleted documents. */
export function readable({ batchId, userId, owns }: BatchReader, more?: SQL): SQL | undefined {
  const seen = sql`case when ${ingestJobs.documentId} is null then ${owns ? 1 : 0} else ${isSeenBy(userId, ingestJobs.documentId)} end`;
  return and(eq(ingestJobs.batchId, batchId), more, seen);
}

export function countBatchJobs(tx: Db, reader: BatchReader): { state: JobRow["state"]; jobs: number }[] {
  return tx
    .select({ state: ingestJobs.state, jobs: count() })
    .from(ingestJobs)
    .where(readable(reader))
    .groupBy(ingestJobs.state)
    .all();
}

/** Failed, then running, then the rest. */
const URGENT = sql`case ${ingestJobs.state} when 'failed' then 0 when 'running' then 1 else 2 end`;

interface Wanted {
  state?: JobRow["state"] | undefined;
  /** Failed and running items first. */
  urgentFirst: boolean;
  limit: number;
  offset: number;
}

export function pageBatchJobs(
  tx: Db,
  reader: BatchReader,
  { state, urgentFirst, limit, offset }: Wanted,
): { job: JobRow; name: string | null }[] {
  return tx
    .select({ job: ingestJobs, name: documents.name })
    .from(ingestJobs)
    .leftJoin(documents, eq(documents.id, ingestJobs.documentId))
    .where(readable(reader, state && eq(ingestJobs.state, state)))
    .orderBy(...(urgentFirst ? [URGENT] : []), asc(ingestJobs.createdAt), asc(ingestJobs.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** Unfinished jobs of a batch. */
export function listOpenJobs(tx: Db, reader: BatchReader): string[] {
  return tx
    .select({ id: ingestJobs.id })
    .from(ingestJobs)
    .where(readable(reader, inArray(ingestJobs.state, ["queued", "running"])))
    .orderBy(asc(ingestJobs.createdAt), asc(ingestJobs.id))
    .all()
    .map(({ id }) => id);
}

export function listFailedDocuments(tx: Db, reader: BatchReader): string[] {
  const failed = and(eq(ingestJobs.state, "failed"), isNotNull(ingestJobs.documentId));
  return tx
    .select({ id: sql<string>`${ingestJobs.documentId}` })
    .from(ingestJobs)
    .where(readable(reader, failed))
    .orderBy(asc(ingestJobs.createdAt), asc(ingestJobs.id))
    .all()
    .map(({ id }) => id);
}

/** Whether the batch has visible items. */
export function hasReadableJobs(tx: Db, reader: BatchReader): boolean {
  return tx.select({ one: sql`1` }).from(ingestJobs).where(readable(reader)).limit(1).get() !== undefined;
}
