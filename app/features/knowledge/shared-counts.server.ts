import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { CollectionStats } from "./documents.schema";
import { collectionStats } from "./documents.service.server";

/** The collection is counted anew once in this time at most for each person, in milliseconds, however much changes. */
const RECOUNT = 2000;

interface Counts {
  stats: CollectionStats | undefined;
  /** When they were begun to be counted, and from when on they may be counted anew. */
  at: number;
  next: number;
  /** The counting that goes on. */
  running: Promise<void> | undefined;
  users: number;
}

interface SharedCounts {
  /**
   * @param changedAt when the documents last changed, by `performance.now()`
   * @returns the counts; where they are older than that, in how many milliseconds to ask again
   * @throws AppError `unavailable` when they can't be counted now
   */
  read(changedAt: number): Promise<{ stats: CollectionStats; again: number | undefined }>;
  leave(): void;
}

const kept = new Map<string, Counts>();

async function recount(counts: Counts, count: () => Promise<CollectionStats>): Promise<void> {
  const at = performance.now();
  // The first change after a page was opened is told at once.
  counts.next = counts.stats ? at + RECOUNT : at;
  try {
    counts.stats = await count();
    counts.at = at;
  } finally {
    counts.running = undefined;
  }
}

/** The collection's counts for one of a person's open pages: counting costs more than all else that they are told. */
export function shareCounts(actor: Actor, count: typeof collectionStats = collectionStats): SharedCounts {
  const key = `${actor.orgId}/${actor.userId}`;
  const counts: Counts = kept.get(key) ?? {
    stats: undefined,
    at: Number.NEGATIVE_INFINITY,
    next: Number.NEGATIVE_INFINITY,
    running: undefined,
    users: 0,
  };
  counts.users += 1;
  kept.set(key, counts);
  let open = true;
  return {
    async read(changedAt) {
      if (!counts.stats || (counts.at < changedAt && performance.now() >= counts.next))
        counts.running ??= recount(counts, () => count(actor));
      await counts.running;
      const { stats, at, next } = counts;
      if (!stats) throw new AppError("unavailable", "The documents can't be counted just now.");
      return { stats, again: at < changedAt ? Math.max(1, Math.ceil(next - performance.now())) : undefined };
    },
    leave() {
      if (!open) return;
      open = false;
      counts.users -= 1;
      if (counts.users === 0) kept.delete(key);
    },
  };
}
