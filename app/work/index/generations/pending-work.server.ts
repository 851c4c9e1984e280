import { EventEmitter, once } from "node:events";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { exponentialBackoff } from "~/core/durations";
import type { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { type IndexRow, listEntries, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { readTarget } from "./target.server";

// Which indexes need work, and when it is due.

/** Dirty indexes. In memory, since every start checks all of them. */
const dirtyIndexes = new Set<number>();

const emitter = () => kept("wake of indexes", () => new EventEmitter().setMaxListeners(0));

/** Schedules maintenance of the indexes, with an optional delay (ms). */
export function wakeIndexes(delayMs = 0): void {
  emitter().emit("wake", delayMs);
}

export function onWakeIndexes(listener: (delayMs: number) => void): () => void {
  emitter().on("wake", listener);
  return () => void emitter().off("wake", listener);
}

export async function nextWake(signal: AbortSignal): Promise<void> {
  await once(emitter(), "wake", { signal }).catch(() => undefined);
}

/** Since when an index lacks something (ms since the epoch). */
const waitingSince = new Map<number, number>();

export function markDirty(indexId: number): void {
  dirtyIndexes.add(indexId);
  if (!waitingSince.has(indexId)) waitingSince.set(indexId, now());
  wakeIndexes();
}

/** Clears the mark. @returns whether it was set */
export const clearDirty = (indexId: number): boolean => dirtyIndexes.delete(indexId);

export const isDirty = (indexId: number): boolean => dirtyIndexes.has(indexId);

export const hasDirty = (): boolean => dirtyIndexes.size > 0;

export function clearAllDirty(): void {
  dirtyIndexes.clear();
  waitingSince.clear();
}

/** Notes that an index has everything, unless it was marked again meanwhile. */
export function settleIndex(indexId: number): void {
  if (!dirtyIndexes.has(indexId)) waitingSince.delete(indexId);
}

/** How long an index has lacked something, in ms; 0 if it has everything. */
export function indexLag(indexId: number): number {
  const since = waitingSince.get(indexId);
  return since === undefined ? 0 : Math.max(0, now() - since);
}

/**
 * Notes that a server doesn't have an index: keywords answer until it has it again.
 * @returns false if it held nothing
 */
export function reportLoss({ id, orgId }: Pick<IndexRow, "id" | "orgId">): boolean {
  if (listEntries(db(), id, 1).length === 0) return false;
  log.warn("a server has lost the vectors of an index", { index: id });
  transaction((tx) => updateIndex(tx, id, { isLost: true }));
  markDirty(id);
  knowledgeChanged({ orgId });
  return true;
}

/** Delays between attempts of a failed build (ms). */
const DELAYS = { first: 5_000, max: 300_000 };
/** Attempts without progress before a build fails. */
const MAX_ATTEMPTS = 12;

interface BackoffState {
  attempts: number;
  retryAt: number;
  done: number;
  /** The settings' target: a change allows an immediate retry. */
  target: object;
}

const states = new Map<number, BackoffState>();

/** Not if it is later than any delay: the clock was set back. */
const isAhead = ({ retryAt }: BackoffState) => retryAt > now() && retryAt <= now() + DELAYS.max;

export const findIndex = ({ id, orgId }: IndexRow): IndexRow | undefined =>
  listIndexes(db(), orgId).find((index) => index.id === id);

export function isDue(index: IndexRow): boolean {
  const state = states.get(index.id);
  return !state || !isAhead(state) || state.target !== readTarget(index.orgId);
}

/** When the next failed build is due (ms since the epoch). */
export function nextAttempt(): number | undefined {
  const times = [...states.values()].filter(isAhead).map(({ retryAt }) => retryAt);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Progress between failures resets the count. */
export function recordFailure(index: IndexRow, error: AppError): void {
  const before = states.get(index.id);
  const done = findIndex(index)?.done ?? 0;
  const attempts = before && before.done === done ? before.attempts + 1 : 1;
  const retryAt = now() + exponentialBackoff(attempts - 1, DELAYS);
  states.set(index.id, { attempts, retryAt, done, target: readTarget(index.orgId) });
  const hasFailed = attempts >= MAX_ATTEMPTS && index.state === "building";
  log.warn("failed to build an index", { index: index.id, attempts, error });
  transaction((tx) =>
    updateIndex(tx, index.id, { error: error.message, ...(hasFailed ? { state: "failed" as const } : {}) }),
  );
  knowledgeChanged({ orgId: index.orgId });
}

export const clearBackoff = ({ id }: IndexRow): boolean => states.delete(id);

export const clearAllBackoff = (): void => states.clear();
