import { followSignal } from "~/core/abort";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import type { ChunkKey } from "../chunks.repo.server";
import { EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import { listActiveVersions, sumChunkCounts } from "../indexed-documents.repo.server";
import { type IndexRow, listIndexedOrgs, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { IDLE_TIME, mergeIdleTerms, openTerms } from "../stores/terms-index.server";
import {
  clearAllBackoff,
  clearBackoff,
  findIndex,
  isDue,
  nextAttempt,
  recordFailure,
} from "./backoff.server";
import { checkTerms, isConsistent } from "./check-index.server";
import {
  collectGarbage,
  dropInactiveIndexes,
  nextCollection,
  resetGarbageState,
} from "./collect-garbage.server";
import {
  clearAllDirty,
  clearDirty,
  hasDirty,
  isDirty,
  markDirty,
  nextWake,
  onWakeIndexes,
} from "./dirty-indexes.server";
import { finishIndex } from "./finish-index.server";
import { CHUNKS_PER_BATCH, chunkKeyBatches, fillChunkSet } from "./index-version.server";
import { isNeeded, reconcile, recountChunks, restartIndex } from "./live-indexes.server";
import { embedChunks, putChunks } from "./put-chunks.server";

async function build(index: IndexRow, signal: AbortSignal): Promise<void> {
  try {
    clearDirty(index.id);
    await fillIndex(index, signal);
    if (index.state === "building") await finishIndex(index, signal);
    else if (index.error) transaction((tx) => updateIndex(tx, index.id, { error: null }));
    clearBackoff(index);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    recordFailure(index, error);
    if (index.state !== "building") markDirty(index.id);
  }
}

async function whileNeeded(
  index: IndexRow,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
) {
  const { controller: ending, release } = followSignal(signal);
  const stopIfSuperseded = () => {
    const row = findIndex(index);
    const isStillNeeded = row?.state === "serving" || (row?.state === index.state && isNeeded(row));
    if (!isStillNeeded) ending.abort(new Error("The index build was superseded."));
  };
  const stopWakes = onWakeIndexes(stopIfSuperseded);
  const stopConfig = onConfigChanged(EMBEDDER_TOPICS, stopIfSuperseded);
  try {
    await work(ending.signal);
  } catch (error) {
    if (signal.aborted || !ending.signal.aborted) throw error;
  } finally {
    stopWakes();
    stopConfig();
    release();
  }
}

/** Verifies the active index against its source, and repairs or rebuilds it. */
async function check(index: IndexRow, signal: AbortSignal): Promise<void> {
  await checkTerms(index, signal);
  // A crash may have interrupted a switch before the recount.
  await recountChunks(index, signal);
  if (await isConsistent(index)) return;
  log.warn("an index differs from its source; rebuilding it", { index: index.id });
  const isRebuilding = listIndexes(db(), index.orgId).some(({ state }) => state === "building");
  if (!isRebuilding) restartIndex(index);
}

async function repair(index: IndexRow, signal: AbortSignal): Promise<boolean> {
  if (!isDue(index) || !clearDirty(index.id)) return false;
  try {
    await build(index, signal);
    if (index.state === "serving" && !isDirty(index.id)) await check(index, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    recordFailure(index, error);
    markDirty(index.id);
  }
  return true;
}

/** Marks every active index for a check, since the last process may have crashed. */
export function markAllForCheck(): void {
  clearAllBackoff();
  resetGarbageState();
  clearAllDirty();
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      if (index.state === "serving" || index.state === "ready") markDirty(index.id);
    }
  }
}

async function repairAll(signal: AbortSignal): Promise<boolean> {
  let hasRepaired = false;
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      signal.throwIfAborted();
      if (index.state === "serving" || index.state === "ready")
        hasRepaired = (await repair(index, signal)) || hasRepaired;
    }
  }
  return hasRepaired;
}

async function buildAll(signal: AbortSignal): Promise<void> {
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      signal.throwIfAborted();
      if (index.state !== "building" || !isDue(index) || !isNeeded(index)) continue;
      await whileNeeded(index, signal, (ending) => build(index, ending));
    }
  }
}

/** Runs repairs while a long build continues. */
async function buildAndRepair(signal: AbortSignal): Promise<void> {
  const buildsEnded = new AbortController();
  const builds = buildAll(signal).finally(() => buildsEnded.abort());
  const repairs = (async () => {
    while (!buildsEnded.signal.aborted) {
      if (!hasDirty() || !(await repairAll(signal))) await nextWake(buildsEnded.signal);
    }
  })();
  const results = await Promise.allSettled([builds, repairs]);
  for (const one of results) if (one.status === "rejected") throw one.reason;
}

/**
 * Reconciles all indexes with the settings: starts, continues, switches, repairs and removes them.
 * @returns when the next timed work is due (ms since the epoch)
 * @throws the signal's reason
 */
export async function runBuilder(signal: AbortSignal): Promise<number | undefined> {
  for (const orgId of listIndexedOrgs(db())) reconcile(orgId);
  await repairAll(signal);
  await buildAndRepair(signal);
  for (const orgId of listIndexedOrgs(db())) await dropInactiveIndexes(orgId, signal);
  await collectGarbage(signal);
  const isIdle = await mergeIdleTerms({ signal });
  const due = Math.min(
    nextAttempt() ?? Infinity,
    nextCollection() ?? Infinity,
    isIdle ? Infinity : now() + IDLE_TIME,
  );
  return due === Infinity ? undefined : due;
}

/** Documents per embedding batch, so that small ones share calls. */
const DOCUMENTS_PER_BATCH = 20;
const REPORT_INTERVAL_MS = 500;

class Progress {
  #done = 0;
  #reportedAt = 0;

  constructor(
    private readonly index: IndexRow,
    private total: number,
  ) {}

  add(chunks: number): void {
    this.#done += chunks;
    if (performance.now() - this.#reportedAt >= REPORT_INTERVAL_MS) this.report();
  }

  report(ended = false): void {
    this.#reportedAt = performance.now();
    this.total = ended ? this.#done : Math.max(this.total, this.#done);
    transaction((tx) => updateIndex(tx, this.index.id, { done: this.#done, total: this.total }));
    knowledgeChanged({ orgId: this.index.orgId });
  }
}

/**
 * Adds all searchable chunks that an index lacks, for builds and repairs.
 * @throws AppError with a user-facing message; the signal's reason
 */
async function fillIndex(index: IndexRow, signal: AbortSignal): Promise<void> {
  const { orgId, chunkSet, space } = index;
  const progress = new Progress(index, sumChunkCounts(db(), orgId));
  progress.report();
  openTerms(chunkSet.id);
  const work = async (keys: ChunkKey[]) => {
    signal.throwIfAborted();
    if (space) {
      await embedChunks(space, keys, { signal });
      await putChunks(index, keys, signal);
    }
    progress.add(keys.length);
  };
  for (let after = ""; ; ) {
    const page = listActiveVersions(db(), orgId, after, DOCUMENTS_PER_BATCH);
    const last = page.at(-1);
    if (!last) break;
    let waiting: ChunkKey[] = [];
    for (const { versionId } of page) {
      signal.throwIfAborted();
      await fillChunkSet(chunkSet, versionId, signal);
      for (const keys of chunkKeyBatches(chunkSet.id, versionId)) {
        waiting.push(...keys);
        if (waiting.length < CHUNKS_PER_BATCH) continue;
        await work(waiting);
        waiting = [];
      }
    }
    if (waiting.length > 0) await work(waiting);
    after = last.documentId;
  }
  progress.report(true);
}
