import { createHmac } from "node:crypto";
import type { Db } from "~/core/db.server";
import { sameSecret } from "~/core/ids.server";
import { type ChainPosition, GENESIS } from "./chain.server";
import { chainKey } from "./chain-key.server";
import { type CheckpointRow, findNewestCheckpoint } from "./checkpoints.repo.server";

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
