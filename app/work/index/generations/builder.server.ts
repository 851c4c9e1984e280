import { followSignal } from "~/core/abort";
import { now, steadyNow } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import type { ChunkKey } from "../chunks.repo.server";
import { EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import { listActiveVersions, sumChunkCounts } from "../indexed-documents.repo.server";
import { type IndexRow, listIndexedOrgs, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { IDLE_TIME, mergeIdleTerms, openTerms } from "../stores/terms-index.server";
import { systemActor } from "../system-actor.server";
import { checkTerms, isConsistent } from "./check-index.server";
import {
  collectGarbage,
  dropInactiveIndexes,
  nextCollection,
  resetGarbageState,
} from "./collect-garbage.server";
import { CHUNKS_PER_BATCH, chunkKeyBatches, fillChunkSet } from "./index-version.server";
import {
  describeIndex,
  isNeeded,
  reconcile,
  recountChunks,
  restartIndex,
  switchIndex,
} from "./live-indexes.server";
import {
  clearAllBackoff,
  clearAllDirty,
  clearBackoff,
  clearDirty,
  findIndex,
  hasDirty,
  isDirty,
  isDue,
  markDirty,
  nextAttempt,
  nextWake,
  onWakeIndexes,
  recordFailure,
  settleIndex,
} from "./pending-work.server";
import { embedChunks, putChunks } from "./put-chunks.server";
import { checkServer, markOverdue, nextCheck, SETTLE_TIME, tuneServers } from "./server-index.server";

/**
 * Makes a whole index the active one. One that doesn't match its source has failed, and the old one stays.
 * @throws AppError `unavailable`
 */
async function finishIndex(built: IndexRow, signal: AbortSignal): Promise<void> {
  const { orgId } = built;
  await checkTerms(built, signal);
  await checkServer(built, () => fillIndex(built, signal), signal);
  if (!(await isConsistent(built))) {
    log.warn("a new index differs from its source", { index: built.id });
    const error = "The index is inconsistent. Rebuild it.";
    transaction((tx) => updateIndex(tx, built.id, { state: "failed", error }));
    knowledgeChanged({ orgId });
    return;
  }
  signal.throwIfAborted();
  const index = findIndex(built);
  // Canceled, no longer requested, or dirty.
  if (index?.state !== "building" || isDirty(index.id) || !isNeeded(index)) return;
  const actor = systemActor(orgId);
  transaction((tx) => {
    append(tx, actor, {
      action: "index.built",
      resource: `index:${index.id}`,
      details: describeIndex(index),
    });
    switchIndex(tx, actor, index);
  });
  await recountChunks(index);
  knowledgeChanged({ orgId });
}

async function build(index: IndexRow, signal: AbortSignal): Promise<void> {
  try {
    clearDirty(index.id);
    const fill = () => fillIndex(index, signal);
    // First made anew: nothing can be added to what isn't there.
    if (findIndex(index)?.isLost) await checkServer(index, fill, signal);
    await fill();
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
  await checkServer(index, () => fillIndex(index, signal), signal);
  if (await isConsistent(index)) return;
  log.warn("an index differs from its source; rebuilding it", { index: index.id });
  const isRebuilding = listIndexes(db(), index.orgId).some(({ state }) => state === "building");
  if (!isRebuilding) restartIndex(index);
}

async function repair(index: IndexRow, signal: AbortSignal): Promise<boolean> {
  if (!isDue(index) || !clearDirty(index.id)) return false;
  try {
    await build(index, signal);
    if (!isDirty(index.id)) await check(index, signal);
    settleIndex(index.id);
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
      if (index.state === "serving") markDirty(index.id);
    }
  }
}

async function repairAll(signal: AbortSignal): Promise<boolean> {
  let hasRepaired = false;
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      signal.throwIfAborted();
      if (index.state === "serving") hasRepaired = (await repair(index, signal)) || hasRepaired;
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
  markOverdue();
  await repairAll(signal);
  await buildAndRepair(signal);
  for (const orgId of listIndexedOrgs(db())) await dropInactiveIndexes(orgId, signal);
  await collectGarbage(signal);
  const isTuned = await tuneServers(signal);
  const isIdle = await mergeIdleTerms({ signal });
  const due = Math.min(
    nextAttempt() ?? Infinity,
    nextCollection() ?? Infinity,
    nextCheck() ?? Infinity,
    isTuned ? Infinity : now() + SETTLE_TIME,
    isIdle ? Infinity : now() + IDLE_TIME,
  );
  return due === Infinity ? undefined : due;
}

const VERSIONS_PER_PAGE = 100;
const REPORT_INTERVAL_MS = 500;

/** Counts from zero in each attempt, and shows no less than what the last one reached. */
class Progress {
  #done = 0;
  #shown: number;
  #reportedAt = 0;

  constructor(
    private readonly index: IndexRow,
    private total: number,
  ) {
    this.#shown = findIndex(index)?.done ?? 0;
  }

  add(chunks: number): void {
    this.#done += chunks;
    if (steadyNow() - this.#reportedAt >= REPORT_INTERVAL_MS) this.#report();
  }

  /** Forgets the reason of the last failure as soon as the embedder answers again. */
  recover(): void {
    if (!findIndex(this.index)?.error) return;
    transaction((tx) => updateIndex(tx, this.index.id, { error: null }));
    knowledgeChanged({ orgId: this.index.orgId });
  }

  end(): void {
    this.#shown = 0;
    this.total = this.#done;
    this.#report();
  }

  #report(): void {
    this.#reportedAt = steadyNow();
    this.#shown = Math.max(this.#shown, this.#done);
    this.total = Math.max(this.total, this.#shown);
    transaction((tx) => updateIndex(tx, this.index.id, { done: this.#shown, total: this.total }));
    knowledgeChanged({ orgId: this.index.orgId });
  }
}

/** All searchable chunks of an index in batches, over the documents' bounds. Adds them to its chunk set. */
async function* fillChunks({ orgId, chunkSet }: IndexRow, signal: AbortSignal): AsyncGenerator<ChunkKey[]> {
  let batch: ChunkKey[] = [];
  for (let after = ""; ; ) {
    const page = listActiveVersions(db(), orgId, after, VERSIONS_PER_PAGE);
    const last = page.at(-1);
    if (!last) break;
    for (const { versionId } of page) {
      signal.throwIfAborted();
      await fillChunkSet(chunkSet, versionId, signal);
      for (const keys of chunkKeyBatches(chunkSet.id, versionId)) {
        batch.push(...keys);
        if (batch.length < CHUNKS_PER_BATCH) continue;
        yield batch;
        batch = [];
      }
    }
    after = last.documentId;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Adds all searchable chunks that an index lacks, for builds and repairs.
 * @throws AppError with a user-facing message; the signal's reason
 */
async function fillIndex(index: IndexRow, signal: AbortSignal): Promise<void> {
  const { orgId, chunkSet, space } = index;
  const progress = new Progress(index, sumChunkCounts(db(), orgId));
  openTerms(chunkSet.id);
  for await (const keys of fillChunks(index, signal)) {
    signal.throwIfAborted();
    let embedded = 0;
    if (space) {
      const onDone = (count: number) => {
        embedded += count;
        progress.recover();
        progress.add(count);
      };
      await embedChunks(space, keys, { signal, onDone });
      await putChunks(index, keys, signal);
    }
    progress.add(keys.length - embedded);
  }
  progress.end();
}
