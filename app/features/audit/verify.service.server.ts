import { db } from "~/core/db.server";
import { sameSecret } from "~/core/ids.server";
import { isUnused, readChain } from "./audit.repo.server";
import { readHead } from "./audit-head.server";
import { GENESIS, macOf, textsOf } from "./chain.server";
import { chainKey, hasChainKey } from "./chain-key.server";
import { TRAIL_FAULTS, type TrailFault } from "./trail.schema";

const CHECK_STEP = 1000;

export interface ChainVerdict {
  /** How many entries, from the first on, are as they were written. */
  entries: number;
  /** The position of the first entry that doesn't follow from the one before it, is missing, or isn't as noted. */
  brokenAt?: number;
  /** What is wrong at the trail's end, where the entries themselves are intact. */
  fault?: TrailFault;
  /** When the last intact entry was written, and the one at `brokenAt` or after it; milliseconds. */
  lastTime?: number;
  brokenTime?: number;
}

/** A fault in words for the operator. */
export const describeFault = (fault: TrailFault): string => TRAIL_FAULTS[fault];

/**
 * Checks the chain from its first entry to its last, and that the last is no older than the head that was noted. It
 * reads in batches and may run beside the console that writes.
 *
 * @throws Error when the key is missing
 */
export function verifyChain(): ChainVerdict {
  if (!hasChainKey()) {
    if (isUnused(db())) return { entries: 0 };
    throw new Error("The key of the audit trail is missing: set AUDIT_KEY, or put audit.key into DATA_DIR.");
  }
  const key = chainKey();
  // Read first: entries that are added meanwhile are newer.
  const head = readHead();
  let headMac = head !== "damaged" && head?.seq === 0 ? GENESIS : undefined;
  let previous = GENESIS;
  let seq = 0;
  let lastTime: number | undefined;
  const verdict = (broken: Pick<ChainVerdict, "brokenAt" | "brokenTime" | "fault"> = {}): ChainVerdict => ({
    entries: seq,
    ...(lastTime === undefined ? {} : { lastTime }),
    ...broken,
  });
  for (;;) {
    const rows = readChain(db(), seq, CHECK_STEP);
    for (const row of rows) {
      const texts = textsOf(row);
      const follows =
        texts && row.seq === seq + 1 && sameSecret(row.mac, macOf(key, texts, row.seq, previous));
      if (!follows) return verdict({ brokenAt: seq + 1, brokenTime: row.createdAt });
      previous = row.mac;
      seq = row.seq;
      lastTime = row.createdAt;
      if (head !== "damaged" && head?.seq === seq) headMac = row.mac;
    }
    if (rows.length < CHECK_STEP) break;
  }
  if (head === undefined) return isUnused(db()) ? verdict() : verdict({ fault: "head_missing" });
  // A damaged note can't tell where the trail ends: what follows the last entry is in doubt.
  if (head === "damaged") return verdict({ brokenAt: seq + 1, fault: "head_damaged" });
  if (headMac === head.mac) return verdict();
  return verdict({ brokenAt: Math.min(head.seq, seq + 1), fault: "entries_missing" });
}
