import { z } from "zod";
import { db, rawDatabase } from "~/core/db.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { findAnchorFault } from "./anchor.server";
import { isUnused } from "./audit.repo.server";
import { readHead } from "./audit-head.server";
import { type ChainPosition, checkPiece, type PieceVerdict } from "./chain.server";
import { chainKey, hasChainKey } from "./chain-key.server";
import { CHAIN_SQL, type ChainRow } from "./chain-rows";
import type { ChainTask } from "./chain-task";
import { readChainStart } from "./checkpoint.server";
import { TRAIL_FAULTS, type TrailFault } from "./trail.schema";

/** Entries that are checked in one task of the thread. */
const PIECE = 20_000;

export interface ChainVerdict {
  /** How many entries, from the first that is kept on, are as they were written. */
  entries: number;
  /** The position up to which entries were dropped; undefined where none were. */
  droppedUpTo?: number;
  /** The position of the first entry that doesn't follow from the one before it, is missing, or isn't as noted. */
  brokenAt?: number;
  /** What is wrong at the trail's end or at its checkpoint, where the entries themselves are intact. */
  fault?: TrailFault;
  /** When the last intact entry was written, and the one at `brokenAt` or after it; milliseconds. */
  lastTime?: number;
  brokenTime?: number;
}

/** A fault in words for the operator. */
export const describeFault = (fault: TrailFault): string => TRAIL_FAULTS[fault];

/** Checks `limit` entries after a position; `noted` is where the head is. */
type Check = (from: ChainPosition, noted: number, limit: number) => Promise<PieceVerdict>;

const thread = new WorkerPool<ChainTask, PieceVerdict>({
  name: "audit-chain",
  entry: bundledWorker("audit-chain"),
  // Checked at the surface only: it comes from our own code.
  output: z.custom<PieceVerdict>((value) => typeof value === "object"),
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 128,
  isBackground: true,
});

const checkInThread: Check = (from, noted, limit) =>
  thread.run({ database: rawDatabase().name, key: chainKey(), from, noted, limit });

const readChain = (afterSeq: number, limit: number) =>
  rawDatabase().prepare(CHAIN_SQL).all(afterSeq, limit) as ChainRow[];

const checkHere: Check = async (from, noted, limit) => checkPiece(readChain, chainKey(), from, noted, limit);

async function checkFrom(start: ChainPosition, noted: number, check: Check): Promise<PieceVerdict> {
  let found: PieceVerdict = { ...start, ended: false };
  while (!found.ended) {
    const next = await check(found, noted, PIECE);
    const { lastTime = found.lastTime, notedMac = found.notedMac } = next;
    found = { ...next, lastTime, notedMac };
  }
  return found;
}

/** What the noted head says of a chain whose entries are intact. */
function judgeEnd(
  { seq, notedMac }: PieceVerdict,
  start: ChainPosition,
  head: ReturnType<typeof readHead>,
): Pick<ChainVerdict, "brokenAt" | "fault"> {
  if (head === undefined) return isUnused(db()) ? {} : { fault: "head_missing" };
  // A damaged note doesn't say where the trail ends, so everything after the last entry is in doubt.
  if (head === "damaged") return { brokenAt: seq + 1, fault: "head_damaged" };
  if (notedMac === head.mac || head.seq < start.seq) return {};
  return { brokenAt: Math.min(head.seq, seq + 1), fault: "entries_missing" };
}

async function verify(check: Check): Promise<ChainVerdict> {
  if (!hasChainKey()) {
    if (isUnused(db())) return { entries: 0 };
    throw new Error("The key of the audit trail is missing: set AUDIT_KEY, or put audit.key into DATA_DIR.");
  }
  // Read first: entries that are added in the meantime are newer.
  const head = readHead();
  const start = readChainStart(db());
  if (start === "damaged") return { entries: 0, brokenAt: 1, fault: "checkpoint_damaged" };
  const found = await checkFrom(start, head === "damaged" ? -1 : (head?.seq ?? -1), check);
  const { seq, brokenAt, brokenTime, lastTime } = found;
  if (brokenAt !== undefined) {
    const now = readChainStart(db());
    // More was dropped while it was read.
    if (now !== "damaged" && now.seq > start.seq) return verify(check);
  }
  const end = brokenAt === undefined ? judgeEnd(found, start, head) : { brokenAt };
  return {
    entries: seq - start.seq,
    ...(start.seq > 0 ? { droppedUpTo: start.seq } : {}),
    ...(lastTime === undefined ? {} : { lastTime }),
    ...(Object.keys(end).length > 0 ? end : findAnchorFault(start.seq)),
    ...(brokenTime === undefined ? {} : { brokenTime }),
  };
}

/**
 * Checks the chain from its first entry, or from the newest checkpoint whose entries were dropped, to its last, and that
 * the last is no older than the head that was noted. A thread of its own reads and hashes, in pieces, so that neither
 * requests nor reads of screens wait.
 *
 * @throws Error when the key is missing
 */
export const verifyChain = (): Promise<ChainVerdict> => verify(checkInThread);

/** As `verifyChain`, for a program that does nothing else: without a thread. */
export const verifyChainHere = (): Promise<ChainVerdict> => verify(checkHere);
