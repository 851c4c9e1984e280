import type { Actor } from "~/core/actor";
import type { CollectionStats } from "./documents.schema";
import { collectionStats } from "./documents.service.server";

/** The collection is counted anew once in this time at most for each person, in milliseconds, however much changes. */
const RECOUNT = 2000;

interface Counts {
  stats: CollectionStats;
  /** When they were counted, and from when on they may be counted anew. */
  at: number;
  next: number;
  users: number;
}

interface SharedCounts {
  /**
   * @param changedAt when the documents last changed, by `performance.now()`
   * @returns the counts; where they are older than that, in how many milliseconds to ask again
   */
  read(changedAt: number): { stats: CollectionStats; again: number | undefined };
  leave(): void;
}

const kept = new Map<string, Counts>();

/** The collection's counts for one of a person's open pages: counting costs more than all else that they are told. */
export function shareCounts(actor: Actor, count: typeof collectionStats = collectionStats): SharedCounts {
  const key = `${actor.orgId}/${actor.userId}`;
  const counts = kept.get(key) ?? { stats: count(actor), at: performance.now(), next: 0, users: 0 };
  counts.users += 1;
  kept.set(key, counts);
  let open = true;
  return {
    read(changedAt) {
      const at = performance.now();
      if (counts.at < changedAt && at >= counts.next) {
        Object.assign(counts, { stats: count(actor), at, next: at + RECOUNT });
      }
      const again = counts.at < changedAt ? Math.ceil(counts.next - at) : undefined;
      return { stats: counts.stats, again };
    },
    leave() {
      if (!open) return;
      open = false;
      counts.users -= 1;
      if (counts.users === 0) kept.delete(key);
    },
  };
}
