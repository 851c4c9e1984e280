import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { abortJob } from "./dispatcher.service.server";
import { updateJob } from "./jobs.repo.server";

/** How long a cancelled job stays listed, in ms. */
const KEPT = 24 * 60 * 60_000;

/**
 * Cancels a job of the caller's own feature within its transaction, without calling the kind's hook: the caller has
 * changed its record. Call `abortJob` after the commit.
 *
 * @returns whether it waited or ran
 */
export function cancelJobWithin(tx: Db, id: string): boolean {
  const at = now();
  const ended = { state: "cancelled", error: null, finishedAt: at, keepUntil: at + KEPT } as const;
  return updateJob(tx, id, ["scheduled", "queued", "waiting", "running"], ended);
}

export { abortJob };
