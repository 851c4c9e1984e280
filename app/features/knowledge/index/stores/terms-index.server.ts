import { runInBatches } from "~/core/batches.server";
import { type Db, transaction } from "~/core/db.server";
import { yieldToEventLoop } from "~/core/event-loop.server";
import { findChunkSetKey } from "../chunk-sets.repo.server";
import { isDroppedKey } from "../dropped-keys";
import { wakeIndexes } from "../generations/dirty-indexes.server";
import { createTable, hasTable, mergeFrom, mergeTerms, tameMerges } from "./derived-tables.repo.server";
import { createTerms, termsTable } from "./tables";

/** Of writing words, in milliseconds: the commit takes as long again, since it is then that FTS5 writes. */
const BUDGET = 2;
/** Of one step of merging: 1 ms, rarely 5, as a step ends behind a word only. */
const PAGES = 16;
/** Slices of which the pages are merged in one commit. */
const SLICES = 2;
/** A slice writes some five pages, each of which is merged about once for each size there is. */
const STEPS = 2 * SLICES;
/** Time without a write after which an index is at rest, in ms. */
export const REST = 3000;
/** Steps in one go of what is merged at rest: less than a second. */
const STEPS_AT_REST = 500;

/** Keyword indexes that have more segments than they need, with the moment of the last write (`performance.now`). */
const unsettled = new Map<number, number>();

/** Slices of a chunk set behind which nothing was merged yet. */
const unmerged = new Map<number, number>();

function noteWrite(chunkSetId: number): void {
  unsettled.set(chunkSetId, performance.now());
  wakeIndexes(REST);
}

/** Whether a chunk set is gone, or on its way out. */
function isDropped(tx: Db, chunkSetId: number): boolean {
  const key = findChunkSetKey(tx, chunkSetId);
  return key === undefined || isDroppedKey(key);
}

/** Makes sure that a chunk set's keyword index is there, and never merges inside a commit. */
export function openTerms(chunkSetId: number): void {
  const table = termsTable(chunkSetId);
  noteWrite(chunkSetId);
  transaction((tx) => {
    if (isDropped(tx, chunkSetId)) return;
    if (!hasTable(table)) createTable(createTerms(chunkSetId));
    tameMerges(table);
  });
}

/** Whether a chunk set has a keyword index that is to be written into. */
export function isWritten(tx: Db, chunkSetId: number): boolean {
  return !isDropped(tx, chunkSetId) && hasTable(termsTable(chunkSetId));
}

function mergeStep(chunkSetId: number): boolean {
  return transaction((tx) => isWritten(tx, chunkSetId) && mergeTerms(termsTable(chunkSetId), PAGES), {
    durable: false,
  });
}

/**
 * Merges a keyword index's segments in short transactions. The remaining work is stored in the index, so that it
 * continues after a restart.
 * @param steps at most; all there are without it
 * @throws the signal's reason
 */
export async function mergeSegments(
  chunkSetId: number,
  { steps = Number.POSITIVE_INFINITY, signal }: { steps?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    if (!mergeStep(chunkSetId)) return;
  }
}

/** Merges about as much as the last slices wrote, in one commit. */
function mergeBehind(chunkSetId: number): void {
  transaction(
    (tx) => {
      const end = performance.now() + BUDGET;
      for (let step = 0; step < STEPS && performance.now() < end; step++) {
        if (!isWritten(tx, chunkSetId) || !mergeTerms(termsTable(chunkSetId), PAGES)) return;
      }
    },
    { durable: false },
  );
}

/**
 * `runInBatches` for what writes words: its segments are merged behind each slice, as far as writing continues, so that
 * they stay few.
 */
export function inTermSlices<T>(
  chunkSetIds: readonly number[],
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  signal?: AbortSignal,
): Promise<number> {
  const after = async () => {
    for (const id of chunkSetIds) {
      noteWrite(id);
      const slices = (unmerged.get(id) ?? 0) + 1;
      unmerged.set(id, slices % SLICES);
      if (slices < SLICES) continue;
      await yieldToEventLoop();
      signal?.throwIfAborted();
      mergeBehind(id);
    }
  };
  return runInBatches(items, work, { budgetMs: BUDGET, signal, durable: false, after });
}

/** @returns whether nothing is left to merge */
async function settle(chunkSetId: number, signal?: AbortSignal): Promise<boolean> {
  const from = (segments: 2 | 8) =>
    transaction((tx) => isWritten(tx, chunkSetId) && mergeFrom(termsTable(chunkSetId), segments), {
      durable: false,
    });
  const writtenAt = unsettled.get(chunkSetId);
  from(2);
  try {
    for (let step = 0; step < STEPS_AT_REST && unsettled.get(chunkSetId) === writtenAt; step++) {
      await yieldToEventLoop();
      signal?.throwIfAborted();
      if (!mergeStep(chunkSetId)) return unsettled.get(chunkSetId) === writtenAt;
    }
    return false;
  } finally {
    from(8);
  }
}

/**
 * Merges the segments of keyword indexes that no one has written into for a while, down to one of each size: a search
 * looks each of its words up in every segment, several times. Continues with what is left when it is called again, and
 * gives way to who writes.
 * @returns whether none is left that waits for it
 * @throws the signal's reason
 */
export async function settleTerms({
  restMs = REST,
  signal,
}: {
  restMs?: number;
  signal?: AbortSignal | undefined;
} = {}): Promise<boolean> {
  for (const [chunkSetId, writtenAt] of [...unsettled]) {
    if (performance.now() - writtenAt < restMs) continue;
    if (await settle(chunkSetId, signal)) unsettled.delete(chunkSetId);
  }
  return unsettled.size === 0;
}
