import { and, desc, eq, lt, sql } from "drizzle-orm";
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

/** The MAC of the entry at a position. */
export function readMac(tx: Db, seq: number): string | undefined {
  return tx.select({ mac: auditEntries.mac }).from(auditEntries).where(eq(auditEntries.seq, seq)).get()?.mac;
}

/** Whether nothing was ever recorded and no one set this console up. */
export function isUnused(tx: Db): boolean {
  if (readLast(tx) !== undefined) return false;
  if (tx.select({ id: organisations.id }).from(organisations).limit(1).get()) return false;
  return tx.get(sql`SELECT 1 FROM sqlite_sequence WHERE name = 'audit_entries' AND seq > 0`) === undefined;
}
