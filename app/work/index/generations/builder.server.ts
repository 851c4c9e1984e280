import { followSignal } from "~/core/abort";
import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import { type IndexRow, listIndexedOrgs, listIndexes, updateIndex } from "../indexes.repo.server";
import { IDLE_TIME, mergeIdleTerms } from "../stores/terms-index.server";
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
import { fillIndex } from "./fill-index.server";
import { finishIndex } from "./finish-index.server";
import { isNeeded, reconcile, restartIndex } from "./live-indexes.server";
import { recountChunks } from "./switch-index.server";

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
