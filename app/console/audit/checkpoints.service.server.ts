import { z } from "zod";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import {
  type CheckpointRow,
  deleteEntries,
  findCheckpoint,
  findLastBefore,
  findNewestCheckpoint,
  insertCheckpoint,
  isSigned,
  listCheckpointRows,
  listOldestSeqs,
  markDropped,
  readLastEntry,
  readMac,
  removeFromSearchIndex,
  sealedEntriesQuery,
  signCheckpoint,
} from "~/platform/audit/audit.repo.server";
import { append } from "~/platform/audit/audit.service.server";
import { verifyChain } from "~/platform/audit/verify.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { assertSent } from "./stream/stream.service.server";

export const SealInput = z.object({
  before: z.iso.date({ error: "Enter a day" }).describe("Entries before this day are sealed, UTC"),
});
export type SealInput = z.infer<typeof SealInput>;

export const Checkpoint = z.object({
  upToSeq: z.int().describe("Position of its last entry"),
  entries: z.int().describe("Entries since the previous checkpoint"),
  createdAt: z.int().describe("Time of sealing, in ms since the epoch"),
  droppedAt: z
    .int()
    .nullable()
    .describe("Time its entries were dropped, in ms since the epoch; null while they are kept"),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const Dropped = z.object({ dropped: z.int().describe("Deleted entries") });

/** Entries per transaction of dropping, and per page of an export. */
const BATCH = 500;

const toCheckpoint = ({ upToSeq, count, createdAt, droppedAt }: CheckpointRow): Checkpoint => ({
  upToSeq,
  entries: count,
  createdAt,
  droppedAt,
});

/** @throws AppError `conflict` if entries were altered */
async function assertIntact(upToSeq: number): Promise<void> {
  const { brokenAt, fault } = await verifyChain();
  if (fault === undefined && (brokenAt === undefined || brokenAt > upToSeq)) return;
  throw new AppError(
    "conflict",
    "The audit trail is not intact. Run npm run audit:verify before you seal or drop entries.",
  );
}

/**
 * Verifies and seals the trail up to an entry, so that earlier entries can be exported and dropped.
 * @throws AppError `forbidden`; `invalid` for a position before the last checkpoint; `conflict` if the
 * trail is not intact
 */
export async function sealRange(actor: Actor, upToSeq: number): Promise<Checkpoint> {
  authorise(actor, "safeguards.disable");
  await assertIntact(upToSeq);
  return transaction((tx) => {
    const before = findNewestCheckpoint(tx, { dropped: false });
    const mac = readMac(tx, upToSeq);
    if (mac === undefined || upToSeq <= (before?.upToSeq ?? 0)) {
      const last = readLastEntry(tx)?.seq ?? 0;
      const first = (before?.upToSeq ?? 0) + 1;
      throw new AppError("invalid", `Choose an entry from ${first} to ${last}.`);
    }
    const row = { upToSeq, mac, count: upToSeq - (before?.upToSeq ?? 0), createdAt: now(), droppedAt: null };
    const signed = { ...row, signature: signCheckpoint(row) };
    insertCheckpoint(tx, signed);
    append(tx, actor, {
      action: "audit.sealed",
      resource: `audit:${upToSeq}`,
      details: { upTo: upToSeq, entries: row.count },
    });
    return toCheckpoint(signed);
  });
}

/**
 * Seals the trail up to its last entry before a day, UTC.
 * @throws AppError as `sealRange`; `invalid` if no unsealed entry is that old
 */
export function sealBefore(actor: Actor, { before }: SealInput): Promise<Checkpoint> {
  authorise(actor, "safeguards.disable");
  const upTo = findLastBefore(db(), actor.orgId, Date.parse(before));
  if (upTo === undefined || upTo <= (findNewestCheckpoint(db(), { dropped: false })?.upToSeq ?? 0))
    throw new AppError("invalid", "No unsealed entry is older. Choose a later day.", {
      fields: { before: ["No unsealed entry is older. Choose a later day."] },
    });
  return sealRange(actor, upTo);
}

export function listCheckpoints(actor: Actor): Checkpoint[] {
  authorise(actor, "safeguards.disable");
  return listCheckpointRows(db(), 100).map(toCheckpoint);
}

function requireCheckpoint(upToSeq: number): CheckpointRow {
  const row = findCheckpoint(db(), upToSeq);
  if (!row || !isSigned(row))
    throw new AppError("not_found", "No checkpoint ends at this entry. Seal the audit trail there first.");
  return row;
}

/**
 * Permanently deletes the entries up to a checkpoint. Recorded and committed first: after a crash a second
 * call deletes the rest.
 * @returns how many entries were deleted
 * @throws AppError `forbidden`; `not_found`; `conflict`
 */
export async function dropSealed(actor: Actor, upToSeq: number): Promise<number> {
  authorise(actor, "safeguards.disable");
  const row = requireCheckpoint(upToSeq);
  if (row.droppedAt === null) {
    await assertIntact(Number.POSITIVE_INFINITY);
    transaction((tx) => {
      assertSent(tx, actor.orgId, upToSeq);
      const dropped = { ...row, droppedAt: now() };
      markDropped(tx, { ...dropped, signature: signCheckpoint(dropped) });
      append(tx, actor, {
        action: "audit.dropped",
        resource: `audit:${upToSeq}`,
        details: { upTo: upToSeq },
      });
    });
  }
  let total = 0;
  for (;;) {
    await yieldToEventLoop();
    const deleted = transaction((tx) => {
      const oldest = listOldestSeqs(tx, upToSeq, BATCH);
      removeFromSearchIndex(tx, oldest);
      deleteEntries(tx, oldest);
      return oldest.length;
    });
    total += deleted;
    if (deleted < BATCH) return total;
  }
}

/**
 * Exports the entries up to a checkpoint as JSON lines, with all fields of their MACs.
 * @throws AppError `forbidden`; `not_found` without such a checkpoint
 */
export function exportSealed(actor: Actor, upToSeq: number): AsyncGenerator<string> {
  authorise(actor, "safeguards.disable");
  requireCheckpoint(upToSeq);
  return readSealed(upToSeq);
}

async function* readSealed(upToSeq: number): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const query = sealedEntriesQuery(after, upToSeq, BATCH);
    const [rows = []] = await readInThread("long", [query]);
    for (const row of rows) yield `${JSON.stringify(row)}\n`;
    if (rows.length < BATCH) return;
    after = Number(rows.at(-1)?.[0]);
  }
}
