import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type IndexRow, listIndexedOrgs, listIndexes } from "../indexes.repo.server";
import { clearBackoff, isDue, recordFailure } from "./backoff.server";
import { dropIndex, dropUnused } from "./drop-index.server";

/** Grace period of a replaced index (ms), for running searches. */
const GRACE = 60_000;

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
