import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { abortJob } from "./dispatcher.service.server";
import { updateJob } from "./jobs.repo.server";

/** Retention of canceled jobs, in ms. */
const RETENTION_MS = 24 * 60 * 60_000;

/**
 * Cancels a job of the caller's own feature without its hook; the caller updates its record, and calls `abortJob` after
 * the commit.
 * @returns whether it was queued or running
 */
export function cancelJobWithin(tx: Db, id: string): boolean {
  const at = now();
  const ended = { state: "cancelled", error: null, finishedAt: at, keepUntil: at + RETENTION_MS } as const;
  return updateJob(tx, id, ["scheduled", "queued", "waiting", "running"], ended);
}

export { abortJob };
