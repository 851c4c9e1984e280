import { and, asc, desc, eq, inArray, lte, max, ne, notInArray, or, sql } from "drizzle-orm";
import { type Db, prepared, preparedFind, preparedInsert, preparedUpdate } from "~/core/db.server";
import { ingestJobs } from "~db/schema";

export type JobRow = typeof ingestJobs.$inferSelect;

const ACTIVE: JobRow["state"][] = ["queued", "running"];

export const insertJob = preparedInsert(ingestJobs);

export const findJob = preparedFind(ingestJobs, "id");

const updateRow = preparedUpdate(ingestJobs, "id", "state");

/** Changes a job if it is in the given state. @returns whether it was */
export function updateJob(
  tx: Db,
  id: string,
  state: JobRow["state"],
  change: Partial<Omit<JobRow, "id" | "orgId">>,
): boolean {
  return updateRow(tx, id, change, state) > 0;
}

const activeJobs = prepared((db) =>
  db
    .select()
    .from(ingestJobs)
    .where(and(eq(ingestJobs.documentId, sql.placeholder("documentId")), inArray(ingestJobs.state, ACTIVE)))
    .prepare(),
);

export function listActiveJobs(tx: Db, documentId: string): JobRow[] {
  return activeJobs(tx).all({ documentId });
}

export function findLastFailedJob(tx: Db, documentId: string): JobRow | undefined {
  return tx
    .select()
    .from(ingestJobs)
    .where(
      and(
        eq(ingestJobs.documentId, documentId),
        inArray(ingestJobs.state, ["failed", "cancelled"]),
        ne(ingestJobs.kind, "purge"),
      ),
    )
    .orderBy(desc(ingestJobs.finishedAt), desc(ingestJobs.createdAt), desc(ingestJobs.id))
    .limit(1)
    .get();
}

export function findLastRefreshJob(tx: Db, documentId: string): JobRow | undefined {
  return tx
    .select()
    .from(ingestJobs)
    .where(
      and(
        eq(ingestJobs.documentId, documentId),
        notInArray(ingestJobs.state, ACTIVE),
        ne(ingestJobs.kind, "purge"),
        sql`${ingestJobs.input} ->> '$.outcome' IS NOT 'duplicate'`,
      ),
    )
    .orderBy(desc(ingestJobs.finishedAt), desc(ingestJobs.createdAt), desc(ingestJobs.id))
    .limit(1)
    .get();
}

export function detachJobs(tx: Db, versionId: string): void {
  const own = and(eq(ingestJobs.versionId, versionId), notInArray(ingestJobs.state, ACTIVE));
  tx.update(ingestJobs).set({ versionId: null }).where(own).run();
}

/** Deletes jobs that ended before a time, unless a retry needs them. @returns how many */
export function deleteOldJobs(tx: Db, before: number, limit: number): number {
  const old = tx
    .select({ id: ingestJobs.id })
    .from(ingestJobs)
    .where(
      and(
        lte(ingestJobs.finishedAt, before),
        notInArray(ingestJobs.state, ACTIVE),
        sql`NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = ${ingestJobs.documentId} AND d.status = 'failed'
          AND ${ingestJobs.id} = (SELECT j.id FROM ingest_jobs j WHERE j.document_id = d.id AND j.kind <> 'purge'
            AND j.state IN ('failed', 'cancelled') ORDER BY j.finished_at DESC, j.created_at DESC, j.id DESC LIMIT 1))`,
      ),
    )
    .orderBy(asc(ingestJobs.finishedAt))
    .limit(limit);
  return tx.delete(ingestJobs).where(inArray(ingestJobs.id, old)).run().changes;
}

export function listProgress(tx: Db, documentIds: readonly string[]) {
  const rows = tx
    .select({
      documentId: ingestJobs.documentId,
      state: ingestJobs.state,
      step: ingestJobs.step,
      done: ingestJobs.done,
      total: ingestJobs.total,
    })
    .from(ingestJobs)
    .where(
      and(
        inArray(ingestJobs.documentId, [...documentIds]),
        or(eq(ingestJobs.state, "queued"), eq(ingestJobs.state, "running")),
        inArray(ingestJobs.kind, ["ingest", "refresh"]),
      ),
    )
    .orderBy(asc(ingestJobs.createdAt))
    .all();
  return new Map(rows.map(({ documentId, ...progress }) => [documentId, progress]));
}

export function listWithoutVectors(tx: Db, documentIds: readonly string[]): Set<string> {
  const rows = tx
    .select({
      documentId: ingestJobs.documentId,
      // SQLite's bare column beside max() (https://sqlite.org/lang_select.html#bareagg).
      wordsOnly: sql<number | null>`${ingestJobs.input} ->> '$.wordsOnly'`,
      finishedAt: max(ingestJobs.finishedAt),
    })
    .from(ingestJobs)
    .where(
      and(
        inArray(ingestJobs.documentId, [...documentIds]),
        eq(ingestJobs.state, "done"),
        sql`${ingestJobs.input} ->> '$.wordsOnly' IS NOT NULL`,
      ),
    )
    .groupBy(ingestJobs.documentId)
    .all();
  return new Set(rows.flatMap(({ documentId, wordsOnly }) => (documentId && wordsOnly ? [documentId] : [])));
}
