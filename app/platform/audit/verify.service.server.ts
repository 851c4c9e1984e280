import { createHmac } from "node:crypto";
import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db, rawDatabase, transaction } from "~/core/db.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import {
  findCheckpoint,
  insertCheckpoint,
  isUnused,
  markDropped,
  readChainStart,
  readLastEntry,
  signCheckpoint,
} from "./audit.repo.server";
import type { TrailFault } from "./audit.shared";
import { explainMissing, readHead, replaceHead } from "./audit-head.server";
import {
  CHAIN_SQL,
  type ChainPosition,
  type ChainRow,
  type ChainTask,
  chainKey,
  checkRange,
  hasChainKey,
  type RangeVerdict,
} from "./chain.server";

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
  return { brokenAt: Math.min(head.seq, seq + 1), fault: explainMissing(db(), head) };
}

/** Verifies the retained entries alone, whatever the head says. @returns the position of the first broken one */
async function findBrokenEntry(check: Check): Promise<number | undefined> {
  const start = readChainStart(db());
  return start === "damaged" ? 1 : (await checkFrom(start, -1, check)).brokenAt;
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

/** Verifies the retained chain in a thread, up to the recorded head. @throws Error when the key is missing */
export const verifyChain = (): Promise<ChainVerdict> => verify(checkInThread);

/** Like `verifyChain`, without a thread: for scripts. */
export const verifyChainHere = (): Promise<ChainVerdict> => verify(checkHere);

/** Verifies the entries of a copy, which has no head. For scripts. @throws Error when the key is missing */
export async function readTrailEnd(): Promise<Pick<ChainVerdict, "entries" | "brokenAt" | "lastTime">> {
  if (!hasChainKey())
    throw new Error("The key of the audit trail is missing: set AUDIT_KEY, or put audit.key into DATA_DIR.");
  const start = readChainStart(db());
  if (start === "damaged") return { entries: 0, brokenAt: 1 };
  const { seq, brokenAt, lastTime } = await checkFrom(start, -1, checkHere);
  return {
    entries: seq - start.seq,
    ...(brokenAt === undefined ? {} : { brokenAt }),
    ...(lastTime === undefined ? {} : { lastTime }),
  };
}

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
  const brokenAt = await findBrokenEntry(checkInThread);
  if (brokenAt !== undefined)
    return `Entry ${brokenAt} of the restored audit trail was changed or is missing.`;
  await replaceHead();
  return undefined;
}

/**
 * Takes over the trail of a database that something else than the console restored: its head is of another moment. For
 * scripts.
 * @param record appends the entry that says so, with the last position before it and that of the former head (0 if none
 * can be read)
 * @returns the number of entries with that one, or the first one that is broken; then nothing was changed
 */
export async function adoptTrail(
  record: (tx: Db, facts: { entries: number; head: number }) => void,
): Promise<{ entries: number; brokenAt?: number }> {
  const head = readHead();
  const entries = readLastEntry(db())?.seq ?? 0;
  const brokenAt = await findBrokenEntry(checkHere);
  if (brokenAt !== undefined) return { entries, brokenAt };
  transaction((tx) => record(tx, { entries, head: head && head !== "damaged" ? head.seq : 0 }));
  await replaceHead();
  return { entries: entries + 1 };
}
