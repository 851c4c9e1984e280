import { desc, notInArray, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { errorReports } from "~db/schema";

type ErrorRow = typeof errorReports.$inferSelect;

export function upsertErrorReport(tx: Db, row: ErrorRow): void {
  const { detail, stack, requestId, lastAt, count } = row;
  tx.insert(errorReports)
    .values(row)
    .onConflictDoUpdate({
      target: errorReports.fingerprint,
      set: { detail, stack, requestId, lastAt, count: sql`${errorReports.count} + ${count}` },
    })
    .run();
}

export function listErrorReports(db: Db, limit: number): ErrorRow[] {
  return db.select().from(errorReports).orderBy(desc(errorReports.lastAt)).limit(limit).all();
}

export function pruneErrorReports(tx: Db, keep: number): void {
  const newest = tx
    .select({ fingerprint: errorReports.fingerprint })
    .from(errorReports)
    .orderBy(desc(errorReports.lastAt))
    .limit(keep);
  tx.delete(errorReports).where(notInArray(errorReports.fingerprint, newest)).run();
}

export function deleteErrorReports(tx: Db): void {
  tx.delete(errorReports).run();
}
