import { type Db, transaction } from "~/core/db.server";
import { inSlices } from "~/core/time-slices.server";
import { ownTurn } from "~/core/turns.server";
import { findChunkSetKey } from "../chunk-sets.repo.server";
import { isDroppedKey } from "../dropped-keys";
import { createTable, hasTable, mergeTerms, tameMerges } from "./derived-tables.repo.server";
import { createTerms, termsTable } from "./tables";

/** Of writing words, in milliseconds: the commit takes as long again, since it is then that FTS5 writes. */
const BUDGET = 2;
/** Of one step of merging: 1 ms, rarely 5, as a step ends behind a word only. */
const PAGES = 16;
/** Behind each slice. A slice writes some five pages, each of which is merged about once for each size there is. */
const STEPS = 2;

/** Whether a chunk set is gone, or on its way out. */
function isDropped(tx: Db, chunkSetId: number): boolean {
  const key = findChunkSetKey(tx, chunkSetId);
  return key === undefined || isDroppedKey(key);
}

/** Makes sure that a chunk set's keyword index is there, and never merges inside a commit. */
export function openTerms(chunkSetId: number): void {
  const table = termsTable(chunkSetId);
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
 * Merges what has piled up in a keyword index, in short transactions. What is left to do is told by the index itself, so
 * that it goes on after a restart.
 *
 * @param steps at most; all there are without it
 * @throws the signal's reason
 */
export async function mergeSegments(
  chunkSetId: number,
  { steps = Number.POSITIVE_INFINITY, signal }: { steps?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await ownTurn();
    signal?.throwIfAborted();
    if (!mergeStep(chunkSetId)) return;
  }
}

/**
 * `inSlices` for what writes words: its segments are merged behind each slice, as far as writing goes on, so that they
 * stay few.
 */
export function inTermSlices<T>(
  chunkSetIds: readonly number[],
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  signal?: AbortSignal,
): Promise<number> {
  const after = async () => {
    for (const id of chunkSetIds) await mergeSegments(id, { steps: STEPS, signal });
  };
  return inSlices(items, work, { budgetMs: BUDGET, signal, durable: false, after });
}
