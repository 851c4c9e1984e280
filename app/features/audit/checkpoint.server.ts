import { createHmac } from "node:crypto";
import type { Db } from "~/core/db.server";
import { sameSecret } from "~/core/ids.server";
import { type ChainPosition, GENESIS } from "./chain.server";
import { chainKey } from "./chain-key.server";
import { type CheckpointRow, findNewestCheckpoint } from "./checkpoints.repo.server";

/** The signature of a checkpoint, so that only this console makes one or says that its entries were dropped. */
export function signCheckpoint(row: Omit<CheckpointRow, "signature">): string {
  const { upToSeq, mac, count, createdAt, droppedAt } = row;
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-checkpoint-1", upToSeq, mac, count, createdAt, droppedAt]))
    .digest("base64url");
}

export function isSigned(row: CheckpointRow): boolean {
  return sameSecret(row.signature, signCheckpoint(row));
}

/** Where the chain begins: at its first entry, or behind what was dropped. */
export function readChainStart(tx: Db): ChainPosition | "damaged" {
  const dropped = findNewestCheckpoint(tx, { dropped: true });
  if (!dropped) return { seq: 0, mac: GENESIS };
  return isSigned(dropped) ? { seq: dropped.upToSeq, mac: dropped.mac } : "damaged";
}
