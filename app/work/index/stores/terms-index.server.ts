import { yieldToEventLoop } from "~/core/background.server";
import { type Db, runInBatches, transaction } from "~/core/db.server";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { findChunkSetKey, isDroppedKey } from "../chunks.repo.server";
import { wakeIndexes } from "../generations/pending-work.server";
import {
  createTable,
  disableAutomaticMerges,
  hasTable,
  listTermsTables,
  mergeTerms,
  setMergeThreshold,
} from "./derived-tables.repo.server";
import { createTerms, termsTable } from "./tables";

/** Time budget for writing terms (ms); FTS5 needs as long again in the commit. */
const BUDGET = 2;
/** Pages per merge step: 1 ms, rarely 5. */
const PAGES = 16;
const BATCHES_PER_MERGE = 2;
/** A batch writes about five pages, each of which is merged about once per level. */
const STEPS = 2 * BATCHES_PER_MERGE;
/** Time without writes after which an index is idle (ms). */
export const IDLE_TIME = 3000;
/** Merge steps per run while idle: less than a second. */
const IDLE_STEPS = 500;

/** Keyword indexes with excess segments, and the time of their last write (`performance.now`). */
const pendingMerges = new Map<number, number>();

const unmergedBatches = new Map<number, number>();

function recordWrite(chunkSetId: number): void {
  pendingMerges.set(chunkSetId, performance.now());
  wakeIndexes(IDLE_TIME);
}

function isDropped(tx: Db, chunkSetId: number): boolean {
  const key = findChunkSetKey(tx, chunkSetId);
  return key === undefined || isDroppedKey(key);
}

/** Prepares a chunk set's keyword indexes for writing: those it has, and those of the languages. */
export function openTerms(chunkSetId: number, languages: Iterable<string> = []): void {
  recordWrite(chunkSetId);
  transaction((tx) => {
    if (isDropped(tx, chunkSetId)) return;
    for (const language of [NO_LANGUAGE, ...languages]) openTermsTable(chunkSetId, language);
    for (const table of listTermsTables(chunkSetId)) disableAutomaticMerges(table);
  });
}

/** The keyword index of a chunk set's texts in a language, created with the first; within a transaction. */
export function openTermsTable(chunkSetId: number, language: string): string {
  const table = termsTable(chunkSetId, language);
  if (!hasTable(table)) {
    createTable(createTerms(chunkSetId, language));
    disableAutomaticMerges(table);
  }
  return table;
}

function openTables(tx: Db, chunkSetId: number): string[] {
  return isDropped(tx, chunkSetId) ? [] : listTermsTables(chunkSetId);
}

/** The keyword index of a chunk set's texts in a language, if there is one and it isn't being dropped. */
export function findTermsTable(tx: Db, chunkSetId: number, language: string): string | undefined {
  const table = termsTable(chunkSetId, language);
  return !isDropped(tx, chunkSetId) && hasTable(table) ? table : undefined;
}

function mergeStep(chunkSetId: number): boolean {
  return transaction((tx) => openTables(tx, chunkSetId).some((table) => mergeTerms(table, PAGES)), {
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
function mergeWritten(chunkSetId: number): void {
  transaction(
    (tx) => {
      const end = performance.now() + BUDGET;
      for (let step = 0; step < STEPS && performance.now() < end; step++) {
        if (!openTables(tx, chunkSetId).some((table) => mergeTerms(table, PAGES))) return;
      }
    },
    { durable: false },
  );
}

/** `runInBatches` with segment merges between batches, so that segments stay few. */
export function runInTermBatches<T>(
  chunkSetIds: readonly number[],
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  signal?: AbortSignal,
): Promise<number> {
  const after = async () => {
    for (const id of chunkSetIds) {
      recordWrite(id);
      const batches = (unmergedBatches.get(id) ?? 0) + 1;
      unmergedBatches.set(id, batches % BATCHES_PER_MERGE);
      if (batches < BATCHES_PER_MERGE) continue;
      await yieldToEventLoop();
      signal?.throwIfAborted();
      mergeWritten(id);
    }
  };
  return runInBatches(items, work, { budgetMs: BUDGET, signal, durable: false, after });
}

async function mergeIdleIndex(chunkSetId: number, signal?: AbortSignal): Promise<boolean> {
  const from = (segments: 2 | 8) =>
    transaction(
      (tx) => {
        for (const table of openTables(tx, chunkSetId)) setMergeThreshold(table, segments);
      },
      { durable: false },
    );
  const writtenAt = pendingMerges.get(chunkSetId);
  from(2);
  try {
    for (let step = 0; step < IDLE_STEPS && pendingMerges.get(chunkSetId) === writtenAt; step++) {
      await yieldToEventLoop();
      signal?.throwIfAborted();
      if (!mergeStep(chunkSetId)) return pendingMerges.get(chunkSetId) === writtenAt;
    }
    return false;
  } finally {
    from(8);
  }
}

/**
 * Merges segments of idle keyword indexes down to one per level, since searches read every segment.
 * @returns whether all are merged
 * @throws the signal's reason
 */
export async function mergeIdleTerms({
  idleMs = IDLE_TIME,
  signal,
}: {
  idleMs?: number;
  signal?: AbortSignal | undefined;
} = {}): Promise<boolean> {
  for (const [chunkSetId, writtenAt] of [...pendingMerges]) {
    if (performance.now() - writtenAt < idleMs) continue;
    if (await mergeIdleIndex(chunkSetId, signal)) pendingMerges.delete(chunkSetId);
  }
  return pendingMerges.size === 0;
}
