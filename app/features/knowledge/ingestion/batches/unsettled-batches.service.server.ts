import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInThread } from "~/core/read-pool.server";
import { authorise } from "~/features/members/authorisation.server";
import { countRetryableJobs } from "../../documents/jobs/retryable.repo.server";
import { readable } from "./batches.repo.server";
import { BatchItem, type RecentBatch } from "./batches.schema";
import { recentQuery } from "./unsettled-batches.repo.server";

const SHOWN = 10;

const Row = z.tuple([z.string(), z.string(), z.number(), BatchItem.shape.state, z.number(), z.number()]);

/** The user's own batches with queued, running or failed items, newest first. */
export async function listRecentBatches(actor: Actor): Promise<RecentBatch[]> {
  authorise(actor, "documents.write");
  const [rows = []] = await readInThread("screen", [recentQuery(db(), actor, SHOWN)]);
  const batches = new Map<string, RecentBatch>();
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
