import { setImmediate as turn } from "node:timers/promises";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { knowledgeChanged } from "../../documents/changes.server";
import { listDocuments } from "../../documents/documents.service.server";
import { queueJob } from "../../documents/jobs/add-job.server";
import { askedBy, JobInput } from "../../documents/jobs/job";
import {
  findBatch,
  type JobRow,
  listFailedSitemaps,
  updateBatch,
  updateJob,
} from "../../documents/jobs/jobs.repo.server";
import { retryDocument } from "../../documents/jobs/work.service.server";
import { assertRagEnabled } from "../../documents/rag-enabled.server";
import type { Batch } from "./batches.schema";
import { listRetryableOfBatch, readBatch } from "./batches.service.server";

const MOST = 500;

/** One transaction per item. @returns how many there were */
async function retryAll(actor: Actor, ids: readonly string[]): Promise<number> {
  let tried = 0;
  for (const id of ids) {
    try {
      retryDocument(actor, id);
      tried += 1;
    } catch (error) {
      // Concurrently retried or deleted items are skipped.
      if (!(error instanceof AppError && (error.code === "conflict" || error.code === "not_found")))
        throw error;
    }
    await turn();
  }
  return tried;
}

interface RetriedDocuments {
  documents: number;
  more: boolean;
}

/** Retries visible failed documents, up to `most`. */
export async function retryFailed(actor: Actor, most = MOST): Promise<RetriedDocuments> {
  authorise(actor, "documents.write");
  let documents = 0;
  let cursor: string | undefined;
  do {
    const limit = most - documents;
    const page = await listDocuments(actor, { status: "failed", limit, ...(cursor ? { cursor } : {}) });
    documents += await retryAll(
      actor,
      page.documents.flatMap(({ id, canRetry }) => (canRetry ? [id] : [])),
    );
    cursor = page.next;
  } while (cursor !== undefined && documents < most);
  return { documents, more: cursor !== undefined };
}

/**
 * Retries a failed sitemap of the user's own batch with the same job, which skips URLs queued before.
 * @returns whether there was one
 */
function retrySitemap(actor: Actor, batchId: string): boolean {
  const { orgId, role } = actor;
  const retried = transaction((tx) => {
    if (findBatch(tx, orgId, batchId)?.userId !== actor.userId) return [];
    return listFailedSitemaps(tx, batchId).filter((job) => {
      const { sitemap, name } = JobInput.parse(job.input);
      if (!sitemap) return false;
      const input: JobInput = { by: askedBy(actor), name, sitemap: { ...sitemap, role }, crashes: 0 };
      const afresh: Partial<JobRow> = { state: "queued", step: null, done: 0, total: 0, attempts: 0 };
      updateJob(tx, job.id, "failed", { ...afresh, runAt: now(), error: null, finishedAt: null, input });
      queueJob(tx, job);
      // A retry resumes a canceled batch.
      updateBatch(tx, batchId, { cancelledAt: null });
      append(tx, actor, {
        action: "batch.retried",
        resource: `batch:${batchId}`,
        details: { sitemap: sitemap.url },
      });
      return true;
    });
  });
  for (const { id: jobId } of retried) knowledgeChanged({ orgId, jobId });
  return retried.length > 0;
}

interface RetriedBatch {
  batch: Batch;
  documents: number;
  sitemap: boolean;
}

/** Retries a batch's failed documents and sitemap. @throws AppError `conflict` if nothing can be retried */
export async function retryBatch(actor: Actor, id: string): Promise<RetriedBatch> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const retryable = listRetryableOfBatch(actor, id);
  if (readBatch(actor, id).counts.failed === 0)
    throw new AppError("conflict", "None of these documents failed. There is nothing to retry.");
  const sitemap = retrySitemap(actor, id);
  const documents = await retryAll(actor, retryable);
  if (documents === 0 && !sitemap)
    throw new AppError("conflict", "These documents can't be retried. Replace or delete them.");
  return { batch: readBatch(actor, id), documents, sitemap };
}
