import { desc, eq, isNotNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { auditCheckpoints } from "~db/schema";

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

export function markDropped(tx: Db, row: Pick<CheckpointRow, "upToSeq" | "droppedAt" | "signature">): void {
  const { upToSeq, ...change } = row;
  tx.update(auditCheckpoints).set(change).where(eq(auditCheckpoints.upToSeq, upToSeq)).run();
}
