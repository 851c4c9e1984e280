import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import {
  deleteChunk,
  deleteChunkSet,
  deleteEmbedding,
  deleteEmbeddings,
  deleteSpace,
  droppedKey,
  hasChunkWithHash,
  isDroppedKey,
  listChunkSets,
  listEmbeddings,
  listSetChunks,
  listSpaces,
  setChunkSetKey,
  setSpaceKey,
} from "../chunks.repo.server";
import {
  countUses,
  deleteEntry,
  deleteIndex,
  type IndexRow,
  listEntries,
  listIndexedOrgs,
  listIndexes,
} from "../indexes.repo.server";
import { dropTableInBatches, listTermsTables } from "../stores/derived-tables.repo.server";
import { findStore } from "../stores/index.server";
import { clearBackoff, isDue, recordFailure } from "./pending-work.server";
import { toStoredIndex } from "./put-chunks.server";

/** Grace period of a replaced index (ms), for running searches. */
const GRACE = 60_000;
/** Chunks or vectors of one page. */
const ROWS_PER_PAGE = 100;
/** Entries are small rows. */
const ENTRIES_PER_PAGE = 500;

const emptiedIndexes = new Set<number>();
/** Whether there may be orphaned data, such as after a crash. */
let needsCollection = true;

function isStillRead(index: IndexRow, all: readonly IndexRow[]): boolean {
  if (index.state !== "retired" || index.servedAt === null) return false;
  const switched = all.find(({ state }) => state === "serving")?.servedAt ?? 0;
  return now() < switched + GRACE;
}

export async function dropInactiveIndexes(orgId: string, signal: AbortSignal): Promise<void> {
  const all = listIndexes(db(), orgId);
  for (const index of all) {
    const { id, state } = index;
    if (!["retired", "cancelled", "failed"].includes(state) || !isDue(index)) continue;
    if ((state !== "retired" && emptiedIndexes.has(id)) || isStillRead(index, all)) continue;
    try {
      await dropIndex(index, state !== "retired", signal);
      emptiedIndexes.add(id);
      clearBackoff(index);
      needsCollection ||= state === "retired";
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      recordFailure(index, error);
    }
  }
}

/** When the next replaced index may be removed (ms since the epoch). */
export function nextCollection(): number | undefined {
  const times = listIndexedOrgs(db()).flatMap((orgId) => {
    const all = listIndexes(db(), orgId);
    const switched = all.find(({ state }) => state === "serving")?.servedAt ?? 0;
    return all.some((index) => isStillRead(index, all)) ? [switched + GRACE] : [];
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Removes orphaned data, after each start and each removed index. */
export async function collectGarbage(signal: AbortSignal): Promise<void> {
  if (!needsCollection) return;
  await dropUnused(signal);
  needsCollection = false;
}

export function resetGarbageState(): void {
  emptiedIndexes.clear();
  needsCollection = true;
}

/** Deletes rows page by page in short transactions, until none is left. */
async function deleteAll<T>(
  list: () => T[],
  remove: (tx: Db, row: T) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let page = list(); page.length > 0; page = list())
    await runInBatches(page, remove, { signal, durable: false });
}

async function dropIndex(index: IndexRow, keepRow: boolean, signal: AbortSignal): Promise<void> {
  const { id } = index;
  await findStore(index.store)?.drop(toStoredIndex(index));
  await deleteAll(
    () => listEntries(db(), id, ENTRIES_PER_PAGE),
    (tx, chunkId) => deleteEntry(tx, id, chunkId),
    signal,
  );
  if (!keepRow) transaction((tx) => deleteIndex(tx, id));
}

async function dropChunkSet(id: number, signal: AbortSignal): Promise<void> {
  for (const table of listTermsTables(id)) await dropTableInBatches(table, { _data: 50, _docsize: 1000 });
  await deleteAll(
    () => listSetChunks(db(), id, ROWS_PER_PAGE),
    (tx, chunk) => {
      deleteChunk(tx, chunk.id);
      if (!hasChunkWithHash(tx, chunk.hash)) deleteEmbeddings(tx, chunk.hash);
    },
    signal,
  );
  transaction((tx) => deleteChunkSet(tx, id));
}

async function dropSpace(id: number, signal: AbortSignal): Promise<void> {
  await deleteAll(() => listEmbeddings(db(), id, ROWS_PER_PAGE), deleteEmbedding, signal);
  transaction((tx) => deleteSpace(tx, id));
}

function markUnusedAsDropped(): void {
  transaction((tx) => {
    for (const { id, key } of listChunkSets(tx)) {
      if (!isDroppedKey(key) && countUses(tx, { chunkSetId: id }) === 0)
        setChunkSetKey(tx, id, droppedKey(id));
    }
    for (const { id, key } of listSpaces(tx)) {
      if (!isDroppedKey(key) && countUses(tx, { spaceId: id }) === 0) setSpaceKey(tx, id, droppedKey(id));
    }
  });
}

/**
 * Removes unreferenced chunk sets and spaces, and resumes interrupted removals. Those of a canceled index
 * are kept while its row exists.
 */
async function dropUnused(signal: AbortSignal): Promise<void> {
  markUnusedAsDropped();
  for (const { id, key } of listChunkSets(db())) {
    if (isDroppedKey(key)) await dropChunkSet(id, signal);
  }
  for (const { id, key } of listSpaces(db())) {
    if (isDroppedKey(key)) await dropSpace(id, signal);
  }
}
