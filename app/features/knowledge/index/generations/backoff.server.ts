import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import type { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { knowledgeChanged } from "../../documents/changes.server";
import { type IndexRow, listIndexes, updateIndex } from "../indexes.repo.server";
import { readTarget } from "./target.server";

/** Delays before a failed build is retried, the last one repeatedly, in milliseconds. */
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

export const findIndex = ({ id, orgId }: IndexRow): IndexRow | undefined =>
  listIndexes(db(), orgId).find((index) => index.id === id);

/** Whether an index may be worked on now, after what went wrong with it. */
export function isDue(index: IndexRow): boolean {
  const trouble = troubles.get(index.id);
  return !trouble || trouble.again <= now() || trouble.target !== readTarget(index.orgId);
}

/** When the next failed build is due for another attempt, in ms since the epoch. */
export function nextAttempt(): number | undefined {
  const times = [...troubles.values()].map(({ again }) => again).filter((again) => again > now());
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Progress between failures resets the count. */
export function noteFailure(index: IndexRow, error: AppError): void {
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

/** Has an index that takes another one's place wait, and be given up, as that one would have been. */
export function inheritBackoff(from: IndexRow, to: IndexRow, error: AppError): void {
  const before = troubles.get(from.id);
  troubles.delete(from.id);
  if (before) troubles.set(to.id, { ...before, done: to.done });
  noteFailure(to, error);
}

export function clearBackoff(index: IndexRow): void {
  troubles.delete(index.id);
}

export function clearAllBackoff(): void {
  troubles.clear();
}
