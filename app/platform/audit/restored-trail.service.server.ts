import { createHmac } from "node:crypto";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { readLastEntry } from "./audit.repo.server";
import { replaceHead } from "./audit-head.server";
import { chainKey } from "./chain.server";
import { findCheckpoint, insertCheckpoint, markDropped, signCheckpoint } from "./checkpoints.repo.server";
import { findBrokenEntry } from "./verify.service.server";

/** Compares two installations' keys without revealing them. */
export function chainKeyFingerprint(): string {
  const mac = createHmac("sha256", chainKey()).update("quarterdeck-audit-key-fingerprint-1");
  return mac.digest("base64url").slice(0, 22);
}

/** Entries signed with another key can't be verified; the chain starts after them. */
function startAfterForeignEntries(tx: Db): void {
  const last = readLastEntry(tx);
  if (!last) return;
  const at = now();
  const row = { upToSeq: last.seq, mac: last.mac, count: 0, createdAt: at, droppedAt: at };
  const signed = { ...row, signature: signCheckpoint(row) };
  if (findCheckpoint(tx, last.seq)) markDropped(tx, signed);
  else insertCheckpoint(tx, signed);
}

/**
 * Continues the trail of a restored database. If an entry in it was changed or is missing, the head stays that of the
 * earlier trail: a fault until an owner accepts it.
 * @param fingerprint of the key that signed its entries
 * @param record appends the entry of the restore
 * @returns what is wrong with the entries, if they are broken
 */
export async function continueRestoredTrail(
  fingerprint: string,
  record: (tx: Db) => void,
): Promise<string | undefined> {
  transaction((tx) => {
    if (fingerprint !== chainKeyFingerprint()) startAfterForeignEntries(tx);
    record(tx);
  });
  const brokenAt = await findBrokenEntry();
  if (brokenAt !== undefined)
    return `Entry ${brokenAt} of the restored audit trail was changed or is missing.`;
  await replaceHead();
  return undefined;
}
