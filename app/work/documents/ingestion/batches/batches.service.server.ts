import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { runInBatches } from "~/core/batches.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { documentDetails } from "../../document-audit";
import { addJob } from "../../jobs/add-job.server";
import { cancelJob } from "../../jobs/cancel.server";
import { JobInput } from "../../jobs/job";
import { findJob, type JobRow } from "../../jobs/jobs.repo.server";
import { assertRagEnabled } from "../../rag-enabled.server";
import { resolveTarget } from "../accept.server";
import { acceptAddress } from "../accept-address.server";
import { WebAddress } from "../ingest.schema";
import {
  type BatchRow,
  countBatchJobs,
  findBatch,
  insertBatch,
  listOpenJobs,
  pageBatchJobs,
  updateBatch,
} from "./batches.repo.server";
import type { Batch, BatchInput, BatchItem, BatchQuery } from "./batches.schema";

const ITEMS_ON_PAGE = 50;

function toItem(job: JobRow, name: string | null): BatchItem {
  const input = JobInput.parse(job.input);
  const { documentId, state, step, done, total, error } = job;
  return {
    id: job.id,
    documentId,
    name: name ?? input.name ?? "Deleted document",
    state,
    outcome: input.outcome ?? null,
    step,
    done,
    total,
    error: state === "queued" ? null : error,
  };
}

function countsOf(batch: BatchRow): Batch["counts"] {
  const counts = { total: 0, queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state, jobs } of countBatchJobs(db(), batch)) {
    counts[state] = jobs;
    counts.total += jobs;
  }
  return counts;
}

/** Counted in SQL and paged: a batch may have thousands of items and is polled. */
function describe(row: BatchRow, requestedPage = 1): Batch {
  const counts = countsOf(row);
  const pages = Math.max(1, Math.ceil(counts.total / ITEMS_ON_PAGE));
  const page = Math.min(requestedPage, pages);
  const jobs = pageBatchJobs(db(), row, ITEMS_ON_PAGE, (page - 1) * ITEMS_ON_PAGE);
  return {
    id: row.id,
    label: row.label,
    createdAt: new Date(row.createdAt).toISOString(),
    cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt).toISOString(),
    counts,
    items: jobs.map(({ job, name }) => toItem(job, name)),
    page,
    pages,
  };
}

function requireBatch(actor: Actor, id: string): BatchRow {
  authorise(actor, "documents.write");
  const row = findBatch(db(), actor, id);
  if (row) return row;
  throw new AppError("not_found", "Upload not found. It may have been removed.");
}

/**
 * Number of documents in an upload, to add more files.
 * @throws AppError `not_found`, `conflict`
 */
export function countOfUpload(actor: Actor, id: string): number {
  const row = requireBatch(actor, id);
  if (row.upload) return countsOf(row).total;
  const message = "Files can only be added to a file upload, not to a list of addresses or a sitemap";
  throw new AppError("conflict", `${message}.`, { fields: { batch: [message] } });
}

/** A batch with a page of items. @throws AppError `not_found`, also for someone else's */
export function readBatch(actor: Actor, id: string, { page }: BatchQuery = { page: 1 }): Batch {
  return describe(requireBatch(actor, id), page);
}

export function findOwnBatch(actor: Actor, id: string, page: number): Batch | undefined {
  const row = findBatch(db(), actor, id);
  return row && describe(row, page);
}

export async function createBatch(actor: Actor, input: BatchInput): Promise<Batch> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { urls = [], sitemap, ...targetFields } = input;
  const target = resolveTarget(actor, targetFields);
  const addresses = [...new Set(urls.map((url) => WebAddress.parse(url)))];
  const id = newId("bat");
  const { orgId, userId } = actor;
  const label = sitemap ?? (addresses.length === 1 ? (addresses[0] ?? "") : `${addresses.length} addresses`);
  transaction((tx) => {
    insertBatch(tx, { id, orgId, userId, label, createdAt: now() });
    append(tx, actor, {
      action: "batch.created",
      resource: `batch:${id}`,
      details: documentDetails(target, sitemap ? { sitemap } : {}, { addresses: addresses.length }),
    });
    if (sitemap === undefined) return;
    const name = `Sitemap ${sitemap}`;
    addJob(tx, actor, {
      kind: "sitemap",
      batchId: id,
      input: { name, sitemap: { url: sitemap, role: actor.role, place: target } },
    });
  });
  await runInBatches(addresses, (tx, url) => acceptAddress(tx, actor, target, { url, batchId: id }));
  knowledgeChanged({ orgId });
  return readBatch(actor, id);
}

export async function cancelBatch(actor: Actor, id: string): Promise<Batch> {
  const batch = requireBatch(actor, id);
  const open = listOpenJobs(db(), batch);
  if (batch.cancelledAt !== null && open.length === 0) return describe(batch);
  transaction((tx) => {
    if (batch.cancelledAt === null) updateBatch(tx, id, { cancelledAt: now() });
    append(tx, actor, {
      action: "batch.cancelled",
      resource: `batch:${id}`,
      details: { jobs: open.length },
    });
  });
  await runInBatches(open, (tx, { id: jobId }) => {
    const job = findJob(tx, jobId);
    if (job && cancelJob(tx, job)) runNext("a batch's cancellation", () => publishCancellation(job));
  });
  return readBatch(actor, id);
}

function publishCancellation({ id: jobId, orgId, documentId }: JobRow): void {
  abortJob(jobId);
  knowledgeChanged({ orgId, documentId: documentId ?? undefined, jobId });
}
