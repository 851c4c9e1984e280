import { z } from "zod";
import { db, rawDatabase } from "~/core/db.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { isUnused } from "./audit.repo.server";
import { readHead } from "./audit-head.server";
import { type ChainPosition, chainKey, checkRange, hasChainKey, type RangeVerdict } from "./chain.server";
import type { ChainTask } from "./chain-rows";
import { CHAIN_SQL, type ChainRow } from "./chain-rows";
import { readChainStart } from "./checkpoints.repo.server";
import { TRAIL_FAULTS, type TrailFault } from "./trail.shared";

const ENTRIES_PER_TASK = 20_000;

export interface ChainVerdict {
  entries: number;
  droppedUpTo?: number;
  brokenAt?: number;
  fault?: TrailFault;
  /** Times of the last intact entry and of the broken one (ms). */
  lastTime?: number;
  brokenTime?: number;
}

export const describeFault = (fault: TrailFault): string => TRAIL_FAULTS[fault];

/** `headSeq` is the recorded head's position. */
type Check = (from: ChainPosition, headSeq: number, limit: number) => Promise<RangeVerdict>;

const thread = new WorkerPool<ChainTask, RangeVerdict>({
  name: "audit-chain",
  entry: bundledWorker("audit-chain"),
  output: z.custom<RangeVerdict>((value) => typeof value === "object"),
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 128,
  isBackground: true,
});

const checkInThread: Check = (from, headSeq, limit) =>
  thread.run({ database: rawDatabase().name, key: chainKey(), from, headSeq, limit });

const readChain = (afterSeq: number, limit: number) =>
  rawDatabase().prepare(CHAIN_SQL).all(afterSeq, limit) as ChainRow[];

const checkHere: Check = async (from, headSeq, limit) =>
  checkRange(readChain, chainKey(), from, headSeq, limit);

async function checkFrom(start: ChainPosition, headSeq: number, check: Check): Promise<RangeVerdict> {
  let verdict: RangeVerdict = { ...start, ended: false };
  while (!verdict.ended) {
    const next = await check(verdict, headSeq, ENTRIES_PER_TASK);
    const { lastTime = verdict.lastTime, headMac = verdict.headMac } = next;
    verdict = { ...next, lastTime, headMac };
  }
  return verdict;
}

function checkEnd(
  { seq, headMac }: RangeVerdict,
  start: ChainPosition,
  head: ReturnType<typeof readHead>,
): Pick<ChainVerdict, "brokenAt" | "fault"> {
  if (head === undefined) return isUnused(db()) ? {} : { fault: "head_missing" };
  // Without a valid head, entries after the last one may be missing.
  if (head === "damaged") return { brokenAt: seq + 1, fault: "head_damaged" };
  if (headMac === head.mac || head.seq < start.seq) return {};
  return { brokenAt: Math.min(head.seq, seq + 1), fault: "entries_missing" };
}

/** Verifies the retained entries alone, whatever the head says. @returns the position of the first broken one */
export async function findBrokenEntry(): Promise<number | undefined> {
  const start = readChainStart(db());
  return start === "damaged" ? 1 : (await checkFrom(start, -1, checkInThread)).brokenAt;
}

async function verify(check: Check): Promise<ChainVerdict> {
  if (!hasChainKey()) {
    if (isUnused(db())) return { entries: 0 };
    throw new Error("The key of the audit trail is missing: set AUDIT_KEY, or put audit.key into DATA_DIR.");
  }
  // Read first, so that later entries are newer.
  const head = readHead();
  const start = readChainStart(db());
  if (start === "damaged") return { entries: 0, brokenAt: 1, fault: "checkpoint_damaged" };
  const verdict = await checkFrom(start, head === "damaged" ? -1 : (head?.seq ?? -1), check);
  const { seq, brokenAt, brokenTime, lastTime } = verdict;
  if (brokenAt !== undefined) {
    const now = readChainStart(db());
    // A concurrent drop moved the start.
    if (now !== "damaged" && now.seq > start.seq) return verify(check);
  }
  const end = brokenAt === undefined ? checkEnd(verdict, start, head) : { brokenAt };
  return {
    entries: seq - start.seq,
    ...(start.seq > 0 ? { droppedUpTo: start.seq } : {}),
    ...(lastTime === undefined ? {} : { lastTime }),
    ...end,
    ...(brokenTime === undefined ? {} : { brokenTime }),
  };
}

/**
 * Verifies the chain in a thread, from the first retained entry to the recorded head.
 * @throws Error when the key is missing
 */
export const verifyChain = (): Promise<ChainVerdict> => verify(checkInThread);

/** Like `verifyChain`, without a thread: for scripts. */
export const verifyChainHere = (): Promise<ChainVerdict> => verify(checkHere);
