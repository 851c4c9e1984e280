import { runInBatches } from "~/core/batches.server";
import { type Db, transaction } from "~/core/db.server";
import { yieldToEventLoop } from "~/core/event-loop.server";
import { findChunkSetKey, isDroppedKey } from "../chunk-sets.repo.server";
import { wakeIndexes } from "../generations/dirty-indexes.server";
import { createTable, hasTable, mergeFrom, mergeTerms, tameMerges } from "./derived-tables.repo.server";
import { createTerms, termsTable } from "./tables";

/** Time budget for writing terms (ms); FTS5 needs as long again in the commit. */
const BUDGET = 2;
/** Pages per merge step: 1 ms, rarely 5. */
const PAGES = 16;
const SLICES = 2;
/** A batch writes about five pages, each of which is merged about once per level. */
const STEPS = 2 * SLICES;
/** Time without writes after which an index is idle (ms). */
export const REST = 3000;
/** Merge steps per run while idle: less than a second. */
const STEPS_AT_REST = 500;

/** Keyword indexes with excess segments, and the time of their last write (`performance.now`). */
const unsettled = new Map<number, number>();

const unmerged = new Map<number, number>();

function noteWrite(chunkSetId: number): void {
  unsettled.set(chunkSetId, performance.now());
  wakeIndexes(REST);
}

function isDropped(tx: Db, chunkSetId: number): boolean {
  const key = findChunkSetKey(tx, chunkSetId);
  return key === undefined || isDroppedKey(key);
}

export function openTerms(chunkSetId: number): void {
  const table = termsTable(chunkSetId);
  noteWrite(chunkSetId);
  transaction((tx) => {
    if (isDropped(tx, chunkSetId)) return;
    if (!hasTable(table)) createTable(createTerms(chunkSetId));
    tameMerges(table);
  });
}

export function isWritten(tx: Db, chunkSetId: number): boolean {
  return !isDropped(tx, chunkSetId) && hasTable(termsTable(chunkSetId));
}

function mergeStep(chunkSetId: number): boolean {
  return transaction((tx) => isWritten(tx, chunkSetId) && mergeTerms(termsTable(chunkSetId), PAGES), {
    durable: false,
  });
}

/**
 * Merges segments in short transactions. FTS5 stores the remaining work, so that it continues after a
 * restart.
 * @param steps maximum
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

/** Merges about as much as the last batches wrote. */
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

/** `runInBatches` with segment merges between batches, so that segments stay few. */
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
 * Merges segments of idle keyword indexes down to one per level, since searches read every segment.
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
