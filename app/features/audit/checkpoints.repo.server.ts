import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte } from "drizzle-orm";
import { type Db, db } from "~/core/db.server";
import { auditCheckpoints, auditEntries } from "~db/schema";

export type CheckpointRow = typeof auditCheckpoints.$inferSelect;

export function insertCheckpoint(tx: Db, row: CheckpointRow): void {
  tx.insert(auditCheckpoints).values(row).run();
}

export function findCheckpoint(tx: Db, upToSeq: number): CheckpointRow | undefined {
  return tx.select().from(auditCheckpoints).where(eq(auditCheckpoints.upToSeq, upToSeq)).get();
}

export function findNewestCheckpoint(tx: Db, { dropped }: { dropped: boolean }): CheckpointRow | undefined {
  return tx
    .select()
    .from(auditCheckpoints)
    .where(dropped ? isNotNull(auditCheckpoints.droppedAt) : undefined)
    .orderBy(desc(auditCheckpoints.upToSeq))
    .limit(1)
    .get();
}

export const listCheckpointRows = (tx: Db, limit: number): CheckpointRow[] =>
  tx.select().from(auditCheckpoints).orderBy(desc(auditCheckpoints.upToSeq)).limit(limit).all();

export function findLastBefore(tx: Db, orgId: string, time: number): number | undefined {
  return tx
    .select({ seq: auditEntries.seq })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgId, orgId), lt(auditEntries.createdAt, time)))
    .orderBy(desc(auditEntries.createdAt), desc(auditEntries.seq))
    .limit(1)
    .get()?.seq;
}

export function markDropped(tx: Db, row: Pick<CheckpointRow, "upToSeq" | "droppedAt" | "signature">): void {
  const { upToSeq, ...change } = row;
  tx.update(auditCheckpoints).set(change).where(eq(auditCheckpoints.upToSeq, upToSeq)).run();
}

export const listOldest = (tx: Db, upToSeq: number, limit: number): number[] =>
  tx
    .select({ seq: auditEntries.seq })
    .from(auditEntries)
    .where(lte(auditEntries.seq, upToSeq))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .all()
    .map(({ seq }) => seq);

export function deleteEntries(tx: Db, positions: readonly number[]): void {
  tx.delete(auditEntries)
    .where(inArray(auditEntries.seq, [...positions]))
    .run();
}

export function sealedEntriesQuery(afterSeq: number, upToSeq: number, limit: number) {
  return db()
    .select()
    .from(auditEntries)
    .where(and(gt(auditEntries.seq, afterSeq), lte(auditEntries.seq, upToSeq)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .toSQL();
}
