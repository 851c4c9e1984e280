import { and, asc, desc, eq, gt, lt } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { auditEntries } from "~db/schema";

export type AuditRow = typeof auditEntries.$inferSelect;

/** Appends a row; its `seq` is SQLite's to count. */
export const insertEntry = preparedInsert(auditEntries);

const newest = prepared((db) =>
  db
    .select({ seq: auditEntries.seq, mac: auditEntries.mac })
    .from(auditEntries)
    .orderBy(desc(auditEntries.seq))
    .limit(1)
    .prepare(),
);

/** The newest row of the whole trail: the one chain covers every organisation of the file. */
export function readLast(tx: Db): Pick<AuditRow, "seq" | "mac"> | undefined {
  return newest(tx).get();
}

/** Entries, newest first. `userId` limits them to one person's own. */
export function listEntries(
  tx: Db,
  filter: { orgId: string; userId?: string; beforeSeq?: number; limit: number },
): AuditRow[] {
  return tx
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.orgId, filter.orgId),
        filter.userId ? eq(auditEntries.userId, filter.userId) : undefined,
        filter.beforeSeq ? lt(auditEntries.seq, filter.beforeSeq) : undefined,
      ),
    )
    .orderBy(desc(auditEntries.seq))
    .limit(filter.limit)
    .all();
}

/** A stretch of the chain in its order, for the check of the whole. */
export function readChain(tx: Db, afterSeq: number, limit: number): AuditRow[] {
  return tx
    .select()
    .from(auditEntries)
    .where(gt(auditEntries.seq, afterSeq))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .all();
}
