import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { exponentialBackoff } from "~/core/durations";
import type { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { knowledgeChanged } from "../knowledge-changes.server";
import { readTarget } from "./target.server";

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
