import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { listIndexedOrgs } from "../chunks.repo.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../ingestion/changes.server";
import { checkIndexes } from "../retrieval-check.service.server";
import { findStore } from "../stores/index.server";
import { systemActor } from "../system-actor.server";
import { forgetAttention, hasAttention, needsAttention, takeAttention } from "./attention.server";
import { isSound, mendTerms } from "./check-index.server";
import { dropIndex, dropUnused } from "./drop-index.server";
import { fillIndex } from "./fill-index.server";
import { beginAnew, reconsider } from "./reconsider.server";
import { assertWhole, describeIndex, recountChunks, switchIndex } from "./switch-index.server";
import { readTarget } from "./target.server";

/** A failed build is tried again after these, the last one over and over, in milliseconds. */
const PAUSES = [5_000, 15_000, 60_000, 300_000];
/** After so many tries without a single chunk more it is given up. */
const MOST_TRIES = 12;

interface Trouble {
  tries: number;
  again: number;
  done: number;
  /** What the settings asked for: when they change it is tried at once. */
  target: object;
}

const troubles = new Map<number, Trouble>();

const findIndex = ({ id, orgId }: IndexRow): IndexRow | undefined =>
  listIndexes(db(), orgId).find((index) => index.id === id);

function isDue(index: IndexRow): boolean {
  const trouble = troubles.get(index.id);
  return !trouble || trouble.again <= now() || trouble.target !== readTarget(index.orgId);
}

/** Tries to be told apart: with progress in between, the count begins anew. */
function noteFailure(index: IndexRow, error: AppError): void {
  const before = troubles.get(index.id);
  const done = findIndex(index)?.done ?? 0;
  const tries = before && before.done === done ? before.tries + 1 : 1;
  const again = now() + (PAUSES[Math.min(tries, PAUSES.length) - 1] ?? 0);
  troubles.set(index.id, { tries, again, done, target: readTarget(index.orgId) });
  const failed = tries >= MOST_TRIES && index.state === "building";
  log.warn("an index could not be built", { index: index.id, tries, error });
  transaction((tx) =>
    updateIndex(tx, index.id, { error: error.message, ...(failed ? { state: "failed" as const } : {}) }),
  );
  knowledgeChanged({ orgId: index.orgId });
}

/** Ends a build: the index is compared with the serving one, then switched to, or waits for a person. */
async function finish(built: IndexRow, signal: AbortSignal): Promise<void> {
  const serving = listIndexes(db(), built.orgId).find(({ state }) => state === "serving");
  if (serving) await checkIndexes(built.orgId, serving.id, built.id, { signal });
  signal.throwIfAborted();
  await assertWhole(built);
  const index = findIndex(built);
  // Cancelled or replaced by another target in the meantime; or a document is still missing in it.
  if (index?.state !== "building" || hasAttention(index.id)) return;
  const actor = systemActor(index.orgId);
  const waits = index.held && index.done > 0;
  transaction((tx) => {
    append(tx, actor, {
      action: "index.built",
      resource: `index:${index.id}`,
      details: describeIndex(index),
    });
    if (waits) updateIndex(tx, index.id, { state: "ready", error: null });
    else switchIndex(tx, actor, index);
  });
  if (!waits) await recountChunks(index);
  knowledgeChanged({ orgId: index.orgId });
}

async function build(index: IndexRow, signal: AbortSignal): Promise<void> {
  try {
    takeAttention(index.id);
    await fillIndex(index, signal);
    if (index.state === "building") await finish(index, signal);
    else if (index.error) transaction((tx) => updateIndex(tx, index.id, { error: null }));
    troubles.delete(index.id);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    noteFailure(index, error);
    if (index.state !== "building") needsAttention(index.id);
  }
}

/** Ends a build's work soon after it was cancelled or became something else's. */
async function whileLive(index: IndexRow, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const watch = setInterval(() => {
    if (findIndex(index)?.state !== index.state) ending.abort(new Error("The index is no longer wanted."));
  }, 200);
  try {
    await work(ending.signal);
  } catch (error) {
    if (signal.aborted || !ending.signal.aborted) throw error;
  } finally {
    clearInterval(watch);
    signal.removeEventListener("abort", stop);
  }
}

/** Compares the serving index with what it was made from, and has it mended or made anew where they differ. */
async function check(index: IndexRow, signal: AbortSignal): Promise<void> {
  const mended = await mendTerms(index.chunkSetId, signal);
  if (mended > 0) log.warn("the keyword index was mended", { index: index.id, rows: mended });
  if (findStore(index.store)?.problem(index.orgId)) return;
  if (!(await isSound(index))) {
    log.warn("an index differs from what it was made from and is made anew", { index: index.id });
    const ahead = listIndexes(db(), index.orgId).some(({ state }) => state === "building");
    if (!ahead) beginAnew(index, "system");
  }
}

async function attend(index: IndexRow, signal: AbortSignal): Promise<void> {
  if (!isDue(index)) return;
  if (index.state === "building") {
    await whileLive(index, signal, (ending) => build(index, ending));
    return;
  }
  if ((index.state !== "serving" && index.state !== "ready") || !takeAttention(index.id)) return;
  try {
    await build(index, signal);
    if (index.state === "serving" && !hasAttention(index.id)) await check(index, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    noteFailure(index, error);
    needsAttention(index.id);
  }
}

/** Has every index that serves looked at, since nobody knows how the last process ended. */
export function distrustAll(): void {
  troubles.clear();
  emptied.clear();
  forgetAttention();
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId)) {
      if (index.state === "serving" || index.state === "ready") needsAttention(index.id);
    }
  }
}

/** Those whose rows stay, and which hold nothing any more. */
const emptied = new Set<number>();

async function clearAway(orgId: string, signal: AbortSignal): Promise<void> {
  let cleared = false;
  for (const index of listIndexes(db(), orgId)) {
    const { id, state } = index;
    if (!["retired", "cancelled", "failed"].includes(state) || !isDue(index)) continue;
    if (state !== "retired" && emptied.has(id)) continue;
    try {
      await dropIndex(index, state !== "retired", signal);
      emptied.add(id);
      troubles.delete(id);
      cleared = true;
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      noteFailure(index, error);
    }
  }
  if (cleared) await dropUnused(signal);
}

/**
 * Does what is to be done for the indexes of every organisation now: begins what the settings ask for, goes on with
 * builds, switches, and removes what is no longer used.
 *
 * @throws the signal's reason
 */
export async function runBuilder(signal: AbortSignal): Promise<void> {
  for (const orgId of listIndexedOrgs(db())) {
    reconsider(orgId);
    for (const index of listIndexes(db(), orgId)) {
      signal.throwIfAborted();
      await attend(index, signal);
    }
    await clearAway(orgId, signal);
  }
}
