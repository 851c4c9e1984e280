import { createHmac } from "node:crypto";
import { desc, eq, isNotNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { sameSecret } from "~/core/ids.server";
import { auditCheckpoints } from "~db/schema";
import { type ChainPosition, chainKey, GENESIS } from "./chain.server";

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

/** A signature prevents forged checkpoints. */
export function signCheckpoint(row: Omit<CheckpointRow, "signature">): string {
  const { upToSeq, mac, count, createdAt, droppedAt } = row;
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-checkpoint-1", upToSeq, mac, count, createdAt, droppedAt]))
    .digest("base64url");
}

export function isSigned(row: CheckpointRow): boolean {
  return sameSecret(row.signature, signCheckpoint(row));
}

/** The chain's start: the first entry, or the one after the last dropped range. */
export function readChainStart(tx: Db): ChainPosition | "damaged" {
  const dropped = findNewestCheckpoint(tx, { dropped: true });
  if (!dropped) return { seq: 0, mac: GENESIS };
  return isSigned(dropped) ? { seq: dropped.upToSeq, mac: dropped.mac } : "damaged";
}
