import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { db, runInBatches, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { assertRagEnabled, documentDetails } from "../access/document-access.server";
import { MAX_SELECTED } from "../document-input.schema";
import { countDocuments } from "../document-lists.server";
import { listSameNames } from "../documents.repo.server";
import { findOlder } from "../documents.service.server";
import { addJob, cancelJob, sitemapJob } from "../jobs/document-jobs.server";
import { findSitemapJob, isActiveJob, listBatchJobs } from "../jobs/jobs.repo.server";
import { acceptAddress, resolveTarget } from "./accept.server";
import type { Batch, BatchInput } from "./ingest.schema";
import { WebAddress } from "./ingest.schema";

/** Visible documents that were last added together; undefined without any. */
export async function findBatch(actor: Actor, id: string): Promise<Batch | undefined> {
  if (id === "") return undefined;
  const counts = { total: 0, processing: 0, ready: 0, failed: 0 };
  for (const { status, documents } of await countDocuments(actor, { batch: id })) {
    counts[status] += documents;
    counts.total += documents;
  }
  const sitemap = findSitemapJob(db(), actor.userId, id) ?? null;
  const undecided = listSameNames(db(), actor, id, MAX_SELECTED);
  const olderOf = findOlder(actor, undecided);
  const sameNames = undecided.filter((row) => olderOf(row)).map((row) => row.id);
  return counts.total > 0 || sitemap ? { id, counts, sitemap, sameNames } : undefined;
}

/** @throws AppError `not_found` */
export async function readBatch(actor: Actor, id: string): Promise<Batch> {
  authorise(actor, "documents.write");
  const batch = await findBatch(actor, id);
  if (batch) return batch;
  throw new AppError("not_found", "Upload not found. It may have been removed.");
}

/** Queues URLs, or a sitemap's. @returns the batch's id */
export async function createBatch(actor: Actor, input: BatchInput): Promise<string> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { urls = [], sitemap, ...targetFields } = input;
  const target = resolveTarget(actor, targetFields);
  const addresses = [...new Set(urls.map((url) => WebAddress.parse(url)))];
  const id = newId("bat");
  transaction((tx) => {
    append(tx, actor, {
      action: "batch.created",
      resource: `batch:${id}`,
      details: documentDetails(target, sitemap ? { sitemap } : {}, { addresses: addresses.length }),
    });
    if (sitemap === undefined) return;
    const reading = { url: sitemap, role: actor.role, place: target };
    addJob(tx, actor, sitemapJob, { batchId: id, sitemap: reading });
  });
  await runInBatches(addresses, (tx, url) => acceptAddress(tx, actor, target, { url, batchId: id }));
  knowledgeChanged({ orgId: actor.orgId });
  return id;
}

/** Cancels what remains of a batch: its sitemap, and its documents that are being processed. */
export async function cancelBatch(actor: Actor, id: string): Promise<{ documents: number }> {
  await readBatch(actor, id);
  const jobs = listBatchJobs(db(), actor.userId, id);
  if (jobs.length === 0) return { documents: 0 };
  transaction((tx) =>
    append(tx, actor, {
      action: "batch.cancelled",
      resource: `batch:${id}`,
      details: { jobs: jobs.length },
    }),
  );
  let documents = 0;
  await runInBatches(jobs, (tx, job) => {
    if (!isActiveJob(tx, job.id) || !cancelJob(tx, job)) return;
    if (job.input.documentId) documents += 1;
    runNext("a batch's cancellation", () => {
      abortJob(job.id);
      knowledgeChanged({ orgId: job.orgId, documentId: job.input.documentId, jobId: job.id });
    });
  });
  return { documents };
}
