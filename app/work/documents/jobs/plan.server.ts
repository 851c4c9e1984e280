import { z } from "zod";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { hasDeletedDocuments, nextDeletedAt, nextRefreshAt } from "../documents-for-jobs.repo.server";
import { UNDO_TIME } from "../removal/deletion";

const NoInput = z.object({});

export const dueRefreshes = declareJob({
  kind: "documents.refresh-due",
  input: NoInput,
  lane: "maintenance",
});
export const documentSweep = declareJob({ kind: "documents.sweep", input: NoInput, lane: "maintenance" });

const NEXT = "next";

/** Queues due refreshes. Call it when a refresh time changes. */
export function planRefreshes(tx: Db): void {
  const runAt = nextRefreshAt(tx);
  if (runAt !== undefined) enqueue(tx, dueRefreshes, {}, { dedupeKey: NEXT, runAt });
}

/** Queues purges of deleted documents. Call it after a deletion. */
export function planRemovals(tx: Db): void {
  const deletedAt = nextDeletedAt(tx, now() - UNDO_TIME);
  if (deletedAt !== undefined)
    enqueue(tx, documentSweep, {}, { dedupeKey: NEXT, runAt: deletedAt + UNDO_TIME });
}

export const hasDueRemovals = (): boolean => hasDeletedDocuments(db(), now() - UNDO_TIME);
