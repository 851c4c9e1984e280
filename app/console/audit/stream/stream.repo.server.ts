import { and, asc, eq, gt, sql } from "drizzle-orm";
import { type Db, db } from "~/core/db.server";
import { auditEntries, auditStreams } from "~db/schema";

export type StreamRow = typeof auditStreams.$inferSelect;

export const findStream = (tx: Db, orgId: string): StreamRow | undefined =>
  tx.select().from(auditStreams).where(eq(auditStreams.orgId, orgId)).get();

export function saveStream(tx: Db, row: StreamRow): void {
  tx.insert(auditStreams).values(row).onConflictDoUpdate({ target: auditStreams.orgId, set: row }).run();
}

/** Changes a stream whose settings are still the same. @returns whether they are */
export function updateStream(
  tx: Db,
  { orgId, version }: Pick<StreamRow, "orgId" | "version">,
  change: Partial<StreamRow>,
): boolean {
  const isSame = and(eq(auditStreams.orgId, orgId), eq(auditStreams.version, version));
  return tx.update(auditStreams).set(change).where(isSame).run().changes > 0;
}

/** For the read pool: an organization's entries after a position, in order. */
export function nextEntriesQuery(orgId: string, position: number, limit: number) {
  // The plus keeps SQLite from an index, whose matches it would have to sort.
  const ofOrg = sql`+${auditEntries.orgId} = ${orgId}`;
  return db()
    .select()
    .from(auditEntries)
    .where(and(gt(auditEntries.seq, position), ofOrg))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .toSQL();
}
