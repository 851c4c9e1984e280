import { and, asc, desc, eq, gt, lt, type SQLWrapper, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { auditEntries, organisations } from "~db/schema";

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
  filter: { orgId: string; userId?: string; before?: number | undefined; limit: number },
): AuditRow[] {
  return tx
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.orgId, filter.orgId),
        filter.userId ? eq(auditEntries.userId, filter.userId) : undefined,
        filter.before === undefined ? undefined : lt(auditEntries.seq, filter.before),
      ),
    )
    .orderBy(desc(auditEntries.seq))
    .limit(filter.limit)
    .all();
}

const stored = (column: SQLWrapper) => sql<Buffer>`cast(${column} as blob)`;

/** A stretch of the chain in its order, its texts as the bytes that are stored. */
export function readChain(tx: Db, afterSeq: number, limit: number) {
  const { seq, id, orgId, userId, action, resource, details, requestId, createdAt, mac } = auditEntries;
  return tx
    .select({
      seq,
      id: stored(id),
      orgId: stored(orgId),
      userId: stored(userId),
      action: stored(action),
      resource: stored(resource),
      details: stored(details),
      requestId: sql<Buffer | null>`cast(${requestId} as blob)`,
      createdAt,
      mac,
    })
    .from(auditEntries)
    .where(gt(seq, afterSeq))
    .orderBy(asc(seq))
    .limit(limit)
    .all();
}
export type ChainRow = ReturnType<typeof readChain>[number];

/** The MAC of the entry at a position. */
export function readMac(tx: Db, seq: number): string | undefined {
  return tx.select({ mac: auditEntries.mac }).from(auditEntries).where(eq(auditEntries.seq, seq)).get()?.mac;
}

/** Whether nothing was ever recorded and nobody set this console up. */
export function isUnused(tx: Db): boolean {
  if (readLast(tx) !== undefined) return false;
  if (tx.select({ id: organisations.id }).from(organisations).limit(1).get()) return false;
  return tx.get(sql`SELECT 1 FROM sqlite_sequence WHERE name = 'audit_entries' AND seq > 0`) === undefined;
}
