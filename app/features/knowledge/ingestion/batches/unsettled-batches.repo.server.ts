import { and, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { ingestBatches, ingestJobs, isSeenBy } from "~db/schema";

const { id, orgId, userId, createdAt } = ingestBatches;

/** Must match the partial index's expression. */
const UNSETTLED: SQL = sql`state in ('queued', 'running', 'failed') and batch_id is not null`;

/** Query for a read thread: the newest unfinished or failed batches with job counts by state. */
export function recentQuery(tx: Db, of: { orgId: string; userId: string }, limit: number) {
  const unsettled = tx
    .select({ one: sql`1` })
    .from(ingestJobs)
    .where(and(eq(ingestJobs.batchId, id), UNSETTLED));
  const newest = tx
    .select({ id })
    .from(ingestBatches)
    .where(and(eq(orgId, of.orgId), eq(userId, of.userId), sql`exists ${unsettled}`))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
  const seen = sql`case when ${ingestJobs.documentId} is null then 1 else ${isSeenBy(of.userId, ingestJobs.documentId)} end`;
  return tx
    .select({
      id,
      label: ingestBatches.label,
      createdAt,
      state: ingestJobs.state,
      jobs: count(),
      sitemaps: sql`sum(${ingestJobs.kind} = 'sitemap')`,
    })
    .from(ingestJobs)
    .innerJoin(ingestBatches, eq(id, ingestJobs.batchId))
    .where(and(inArray(ingestJobs.batchId, newest), seen))
    .groupBy(id, ingestJobs.state)
    .orderBy(desc(createdAt), desc(id))
    .toSQL();
}
