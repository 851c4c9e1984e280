import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db, runInBatches, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { clip } from "~/core/well-formed";
import { findChunkText, hasChunk } from "../chunks.repo.server";
import { embedderOf } from "../embedding/choose-embedder.server";
import { embedTexts } from "../embedding/embed-texts.server";
import {
  countEntries,
  deleteEntry,
  type IndexRow,
  listEntryScopes,
  listIndexedOrgs,
  listIndexes,
  listSampleEntries,
  updateIndex,
} from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { findStore } from "../stores/index.server";
import type { PointSlice, ServerStore, StoredIndex } from "../stores/vector-store";
import { systemActor } from "../system-actor.server";
import { findIndex, isDirty, markDirty } from "./pending-work.server";
import { toStoredIndex } from "./put-chunks.server";

// What a server should hold, compared with what it holds, and how broadly it must search.

const BATCH_SIZE = 2000;
/** Share of an index whose loss makes keywords answer. */
const LOST_SHARE = 0.1;
const MAX_ATTEMPTS = 3;

function serverOf(index: IndexRow): { store: ServerStore; stored: StoredIndex } | undefined {
  const store = findStore(index.store);
  if (store?.location !== "server" || !index.space?.dimensions || store.problem(index.orgId))
    return undefined;
  return { store, stored: toStoredIndex(index) };
}

/**
 * Compares a slice with the entries in its range of ids.
 * @returns entries without their point, and points without a chunk. A point whose entry is still to come has a chunk.
 */
async function compareSlice(
  index: IndexRow,
  { store, stored }: { store: ServerStore; stored: StoredIndex },
  from: number,
  { points, next = Number.POSITIVE_INFINITY }: PointSlice,
) {
  const unknown = new Map(points.map((point) => [point.id, point]));
  const stale: number[] = [];
  for (let after = from - 1; ; ) {
    const page = listEntryScopes(db(), index.id, after, BATCH_SIZE);
    const entries = page.filter(({ id }) => id < next);
    for (const { id, documentId, hash, visibility } of entries) {
      const point = unknown.get(id);
      const isChunk = documentId !== null && hash !== null;
      if (isChunk) unknown.delete(id);
      const isRight =
        isChunk &&
        point?.mark === store.markOf(stored, { documentId, hash }) &&
        point.open === (visibility === "organisation");
      if (!isRight) stale.push(id);
    }
    const last = entries.at(-1);
    if (!last || entries.length < BATCH_SIZE) break;
    after = last.id;
    await yieldToEventLoop();
  }
  return { stale, orphans: [...unknown.keys()].filter((id) => !hasChunk(db(), id)) };
}

/**
 * Compares every point with its entry, slice by slice. Entries without their point are deleted, so that it is added
 * again; points without a chunk are deleted.
 * @returns how many differed
 */
async function compareAll(index: IndexRow, signal: AbortSignal): Promise<number> {
  const server = serverOf(index);
  if (!server) return 0;
  const { store, stored } = server;
  const total = countEntries(db(), index.id);
  let [missing, orphaned] = [0, 0];
  for (let from: number | undefined = 0; from !== undefined; ) {
    signal.throwIfAborted();
    const slice: PointSlice | undefined = await store.list(stored, from, signal);
    if (!slice) await store.create(stored);
    const { points, next } = slice ?? { points: [], next: undefined };
    const { stale, orphans } = await compareSlice(index, server, from, { points, next });
    missing += stale.length;
    orphaned += orphans.length;
    if (missing > total * LOST_SHARE && !findIndex(index)?.isLost) {
      transaction((tx) => updateIndex(tx, index.id, { isLost: true }));
      knowledgeChanged({ orgId: index.orgId });
    }
    await runInBatches(stale, (tx, id) => deleteEntry(tx, index.id, id), { signal, durable: false });
    await store.remove(stored, orphans);
    from = next;
    await yieldToEventLoop();
  }
  if (missing + orphaned > 0)
    log.warn("a server's vectors differ from the database", { index: index.id, count: missing + orphaned });
  return missing + orphaned;
}

const checkedAt = new Map<number, number>();

/**
 * Makes a server hold what it should. Does nothing for other stores.
 * @param fill adds the chunks that have no entry
 * @throws AppError `unavailable`; the signal's reason
 */
export async function checkServer(
  index: IndexRow,
  fill: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!serverOf(index)) return;
  for (let attempt = 0; (await compareAll(index, signal)) > 0; attempt++) {
    if (attempt === MAX_ATTEMPTS)
      throw new AppError("unavailable", "Qdrant doesn't keep what it is sent. See its log.");
    await fill();
  }
  // What it holds may have changed, so its search is measured again.
  transaction((tx) => updateIndex(tx, index.id, { isLost: false, recall: null }));
  checkedAt.set(index.id, now());
  knowledgeChanged({ orgId: index.orgId });
}

function* servingServers(): Generator<IndexRow> {
  for (const orgId of listIndexedOrgs(db())) {
    for (const index of listIndexes(db(), orgId))
      if (index.state === "serving" && serverOf(index)) yield index;
  }
}

/** Marks servers for their daily check. */
export function markOverdue(): void {
  for (const { id } of servingServers()) {
    const last = checkedAt.get(id);
    if (last !== undefined && now() >= last + DAY && !isDirty(id)) markDirty(id);
  }
}

/** When the next daily check is due (ms since the epoch). */
export function nextCheck(): number | undefined {
  const times = [...servingServers()].flatMap(({ id }) => {
    const last = checkedAt.get(id);
    return last === undefined ? [] : [last + DAY];
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Delay until a server may have ordered its points (ms). */
export const SETTLE_TIME = 30_000;
/** Up to this many candidates every vector is compared. */
export const EXACT = 5000;
/** Chunks of which a question is made. */
const SAMPLES = 50;
/** Of such a question; the second limit is for scripts without spaces. */
const QUESTION_WORDS = 5;
const QUESTION_LENGTH = 60;
const NEAREST = 10;
const WANTED_RECALL = 0.95;
const BREADTHS = [64, 128, 256, 512, 1024, 2048, 4096];
/** Equal texts have equal distances. */
const TOLERANCE = 1e-5;

/** A few words from the middle of a chunk: its own vector stands among the indexed ones, and is found too easily. */
function questionFrom(text: string): string {
  const words = text.split(/\s+/);
  const from = Math.max(0, Math.floor((words.length - QUESTION_WORDS) / 2));
  return clip(words.slice(from, from + QUESTION_WORDS).join(" "), QUESTION_LENGTH);
}

/** @returns whether the server's search is measured; false while it still orders its points */
async function tune(index: IndexRow, signal: AbortSignal): Promise<boolean> {
  const server = serverOf(index);
  if (!server || !index.space) return true;
  const { store, stored } = server;
  const set = (searchEf: number | null, recall: number) => {
    transaction((tx) => updateIndex(tx, index.id, { searchEf, recall }));
    knowledgeChanged({ orgId: index.orgId });
  };
  if (countEntries(db(), index.id) <= EXACT) {
    set(null, 1);
    return true;
  }
  if (!(await store.isSettled(stored, signal))) return false;
  const questions = listSampleEntries(db(), index.id, SAMPLES).flatMap((id) => {
    const text = findChunkText(db(), id)?.text;
    return text ? [questionFrom(text)] : [];
  });
  const embedder = embedderOf(index.space);
  const vectors = await embedTexts(systemActor(index.orgId), embedder, [...new Set(questions)], { signal });
  const search = async (vector: Float32Array, ef: number | null) => {
    const found = await store.search(stored, vector, NEAREST, { ef }, signal);
    if (!found) throw new AppError("unavailable", "Qdrant has lost the vectors of an index.");
    return found.map(({ similarity }) => similarity);
  };
  const nearest: { vector: Float32Array; limit: number; count: number }[] = [];
  for (const vector of vectors) {
    const found = await search(vector, null);
    nearest.push({ vector, limit: (found.at(-1) ?? 1) - TOLERANCE, count: found.length });
  }
  for (const ef of BREADTHS) {
    let [found, expected] = [0, 0];
    for (const { vector, limit, count } of nearest) {
      found += (await search(vector, ef)).filter((similarity) => similarity >= limit).length;
      expected += count;
    }
    if (expected === 0 || found / expected < WANTED_RECALL) continue;
    set(ef, found / expected);
    return true;
  }
  set(null, 1);
  return true;
}

/**
 * Chooses for each server the narrowest search that finds nearly all of the nearest.
 * @returns false if one has to be measured later
 */
export async function tuneServers(signal: AbortSignal): Promise<boolean> {
  let isDone = true;
  for (const index of servingServers()) {
    if (index.recall !== null || index.isLost) continue;
    try {
      isDone = (await tune(index, signal)) && isDone;
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      log.warn("failed to measure a server's search", { index: index.id, error });
      isDone = false;
    }
  }
  return isDone;
}
