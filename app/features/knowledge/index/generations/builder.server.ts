import { now } from "~/core/clock.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { EMBEDDER_TOPICS } from "../embedding/choose-embedder.server";
import { type IndexRow, listIndexedOrgs, listIndexes, updateIndex } from "../indexes.repo.server";
import { REST, settleTerms } from "../stores/terms-index.server";
import { clearAllBackoff, clearBackoff, findIndex, isDue, nextAttempt, noteFailure } from "./backoff.server";
import { checkTerms, isSound } from "./check-index.server";
import { clearAway, collectGarbage, forgetCleared, nextCollection } from "./clear-away.server";
import {
  clearDirty,
  forgetDirty,
  hasDirty,
  isDirty,
  markDirty,
  nextWake,
  onWakeIndexes,
} from "./dirty-indexes.server";
import { fillIndex } from "./fill-index.server";
import { finishIndex } from "./finish-index.server";
import { isNeeded, reconcile, restartIndex } from "./reconcile.server";
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
    noteFailure(index, error);
    if (index.state !== "building") markDirty(index.id);
  }
}

async function whileNeeded(
  index: IndexRow,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
) {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const look = () => {
    const row = findIndex(index);
    const goesOn = row?.state === "serving" || (row?.state === index.state && isNeeded(row));
    if (!goesOn) ending.abort(new Error("The index build was superseded."));
  };
  const leaveWakes = onWakeIndexes(look);
  const leaveConfig = onConfigChanged(EMBEDDER_TOPICS, look);
  try {
    await work(ending.signal);
  } catch (error) {
    if (signal.aborted || !ending.signal.aborted) throw error;
  } finally {
    leaveWakes();
    leaveConfig();
    signal.removeEventListener("abort", stop);
  }
}

/** Verifies the active index against its source, and repairs or rebuilds it. */
async function check(index: IndexRow, signal: AbortSignal): Promise<void> {
  await checkTerms(index, signal);
  // A crash may have interrupted a switch before the recount.
  await recountChunks(index, signal);
  if (await isSound(index)) return;
  log.warn("an index differs from its source; rebuilding it", { index: index.id });
  const ahead = listIndexes(db(), index.orgId).some(({ state }) => state === "building");
  if (!ahead) restartIndex(index);
}

async function mend(index: IndexRow, signal: AbortSignal): Promise<boolean> {
  if (!isDue(index) || !clearDirty(index.id)) return false;
  try {
    await build(index, signal);
    if (index.state === "serving" && !isDirty(index.id)) await check(index, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    noteFailure(index, error);
    markDirty(index.id);
  }
  return true;
}

/** Marks every active index for a check, since the last process may have crashed. */
export function distrustAll(): void {
  clearAllBackoff();
  forgetCleared();
  forgetDirty();
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      if (index.state === "serving" || index.state === "ready") markDirty(index.id);
    }
  }
}

async function mendAll(signal: AbortSignal): Promise<boolean> {
  let mended = false;
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      signal.throwIfAborted();
      if (index.state === "serving" || index.state === "ready")
        mended = (await mend(index, signal)) || mended;
    }
  }
  return mended;
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
async function buildAndMend(signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const builds = buildAll(signal).finally(() => over.abort());
  const mends = (async () => {
    while (!over.signal.aborted) {
      if (!hasDirty() || !(await mendAll(signal))) await nextWake(over.signal);
    }
  })();
  const ended = await Promise.allSettled([builds, mends]);
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}

/**
 * Reconciles all indexes with the settings: starts, continues, switches, repairs and removes them.
 * @returns when the next timed work is due (ms since the epoch)
 * @throws the signal's reason
 */
export async function runBuilder(signal: AbortSignal): Promise<number | undefined> {
  for (const orgId of listIndexedOrgs(db())) reconcile(orgId);
  await mendAll(signal);
  await buildAndMend(signal);
  for (const orgId of listIndexedOrgs(db())) await clearAway(orgId, signal);
  await collectGarbage(signal);
  const settled = await settleTerms({ signal });
  const due = Math.min(
    nextAttempt() ?? Infinity,
    nextCollection() ?? Infinity,
    settled ? Infinity : now() + REST,
  );
  return due === Infinity ? undefined : due;
}
