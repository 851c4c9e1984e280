import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { enqueue } from "~/features/jobs/enqueue.service.server";
import { nextDeletedAt, nextRefreshAt } from "../documents-for-jobs.repo.server";
import { UNDO_TIME } from "../removal/deletion";
import { refreshDueType, sweepType } from "./job-types.server";

const NEXT = "next";

/** Has the documents whose refresh is due next queued at their time. Call it where a time has changed. */
export function planRefreshes(tx: Db): void {
  const runAt = nextRefreshAt(tx);
  if (runAt !== undefined) enqueue(tx, refreshDueType, {}, { dedupeKey: NEXT, runAt });
}

/** Has deleted documents removed once they can't be restored any more. Call it where one was deleted. */
export function planRemovals(tx: Db): void {
  const deletedAt = nextDeletedAt(tx, now() - UNDO_TIME);
  if (deletedAt !== undefined) enqueue(tx, sweepType, {}, { dedupeKey: NEXT, runAt: deletedAt + UNDO_TIME });
}
