import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { findBatch } from "../../documents/jobs/jobs.repo.server";
import { countRetryableJobs } from "../../documents/jobs/retryable.repo.server";
import { readable } from "./batches.repo.server";
import { BatchItem, type UnsettledBatch } from "./batches.schema";
import { readBatch } from "./batches.service.server";
import { setDismissed, unsettledQuery } from "./unsettled-batches.repo.server";

/** As many are listed. */
const SHOWN = 10;

const Row = z.tuple([z.string(), z.string(), z.number(), BatchItem.shape.state, z.number(), z.number()]);

/**
 * The user's own batches of which something waits, runs or has failed, the newest first, without those one has
 * dismissed.
 */
export async function listUnsettledBatches(actor: Actor): Promise<UnsettledBatch[]> {
  authorise(actor, "documents.write");
  const [rows = []] = await readInThread("screen", [unsettledQuery(db(), actor, SHOWN)]);
  const batches = new Map<string, UnsettledBatch>();
  for (const row of rows) {
    const [id, label, createdAt, state, jobs, sitemaps] = Row.parse(row);
    const batch = batches.get(id) ?? {
      id,
      label,
      createdAt: new Date(createdAt).toISOString(),
      counts: { total: 0, queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 },
      retryable: 0,
      sitemapFailed: false,
    };
    batch.counts[state] += jobs;
    batch.counts.total += jobs;
    if (state === "failed" && sitemaps > 0) batch.sitemapFailed = true;
    batches.set(id, batch);
  }
  const unsettled = [...batches.values()].filter(
    ({ counts }) => counts.queued + counts.running + counts.failed > 0,
  );
  for (const batch of unsettled) {
    const reader = { batchId: batch.id, userId: actor.userId, owns: true };
    if (batch.counts.failed > 0) batch.retryable = countRetryableJobs(db(), readable(reader));
  }
  return unsettled;
}

/**
 * Takes a batch that is over off the list. Its documents stay as they are, and so does its page.
 * @throws AppError `not_found` for what isn't the user's own, `conflict` while it is being worked on
 */
export function dismissBatch(actor: Actor, id: string): void {
  authorise(actor, "documents.write");
  const { counts } = readBatch(actor, id);
  transaction((tx) => {
    if (findBatch(tx, actor.orgId, id)?.userId !== actor.userId)
      throw new AppError("not_found", "Upload not found. It may have been removed.");
    if (counts.queued + counts.running > 0)
      throw new AppError(
        "conflict",
        "This upload is still in progress. Cancel the remaining documents first.",
      );
    setDismissed(tx, id, now());
    append(tx, actor, { action: "batch.dismissed", resource: `batch:${id}` });
  });
}
