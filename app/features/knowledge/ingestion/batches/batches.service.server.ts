import type { Actor } from "~/core/actor";
import { atLeast } from "~/core/actor";
import { runInBatches } from "~/core/batches.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/features/audit/audit.service.server";
import { abortJob } from "~/features/jobs/cancel-job.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { knowledgeChanged } from "../../documents/changes.server";
import { documentDetails } from "../../documents/document-audit";
import { addJob } from "../../documents/jobs/add-job.server";
import { cancelJob } from "../../documents/jobs/cancel.server";
import { JobInput } from "../../documents/jobs/job";
import {
  type BatchRow,
  findBatch,
  findJob,
  insertBatch,
  type JobRow,
  updateBatch,
} from "../../documents/jobs/jobs.repo.server";
import { countRetryableJobs, listRetryable } from "../../documents/jobs/retryable.repo.server";
import { assertRagEnabled } from "../../documents/rag-enabled.server";
import { resolveTarget } from "../accept.server";
import { acceptAddress } from "../accept-address.server";
import { WebAddress } from "../ingest.schema";
import {
  type BatchReader,
  countBatchJobs,
  hasReadableJobs,
  listFailedDocuments,
  listOpenJobs,
  pageBatchJobs,
  readable,
} from "./batches.repo.server";
import type { Batch, BatchInput, BatchItem, BatchQuery } from "./batches.schema";

/** Items per page. */
const ITEMS = 100;
const ITEMS_ON_SCREEN = 50;

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

const readerOf = (actor: Actor, { id, userId }: BatchRow): BatchReader => ({
  batchId: id,
  userId: actor.userId,
  owns: userId === actor.userId,
});

interface Page extends BatchQuery {
  size: number;
  urgentFirst: boolean;
}

/** Counted in SQL and paged: a batch may have thousands of items and is polled. */
function describe(actor: Actor, row: BatchRow, wanted: Page): Batch {
  const reader = readerOf(actor, row);
  const counts = { total: 0, queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state, jobs } of countBatchJobs(db(), reader)) {
    counts[state] = jobs;
    counts.total += jobs;
  }
  const { state, size, urgentFirst } = wanted;
  const pages = Math.max(1, Math.ceil((state ? counts[state] : counts.total) / size));
  const page = Math.min(wanted.page, pages);
  const jobs = pageBatchJobs(db(), reader, { state, urgentFirst, limit: size, offset: (page - 1) * size });
  return {
    id: row.id,
    label: reader.owns ? row.label : `${counts.total} documents`,
    createdAt: new Date(row.createdAt).toISOString(),
    cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt).toISOString(),
    counts,
    retryable: counts.failed > 0 ? countRetryableJobs(db(), readable(reader)) : 0,
    items: jobs.map(({ job, name }) => toItem(job, name)),
    page,
    pages,
  };
}

/** The user's own batches; admins can view all. */
function mayRead(actor: Actor, row: BatchRow): boolean {
  if (row.userId === actor.userId) return true;
  return atLeast(actor.role, "admin") && hasReadableJobs(db(), readerOf(actor, row));
}

const noBatch = () => new AppError("not_found", "Upload not found. It may have been removed.");

function requireBatch(actor: Actor, id: string): BatchRow {
  const row = findBatch(db(), actor.orgId, id);
  if (row && mayRead(actor, row)) return row;
  throw noBatch();
}

/**
 * Number of documents in the user's own upload, to add more files.
 * @throws AppError `not_found`, `conflict`
 */
export function countOfUpload(actor: Actor, id: string): number {
  authorise(actor, "documents.write");
  const row = findBatch(db(), actor.orgId, id);
  if (!row || row.userId !== actor.userId) throw noBatch();
  if (!row.upload) {
    const message = "Files can only be added to a file upload, not to a list of addresses or a sitemap";
    throw new AppError("conflict", `${message}.`, { fields: { batch: [message] } });
  }
  return describe(actor, row, { page: 1, size: 1, urgentFirst: false }).counts.total;
}

/** A batch with a page of items, in order of arrival. @throws AppError `not_found` */
export function readBatch(actor: Actor, id: string, query: BatchQuery = { page: 1 }): Batch {
  authorise(actor, "screens.read");
  return describe(actor, requireBatch(actor, id), { ...query, size: ITEMS, urgentFirst: false });
}

/** The batch, failed items first; undefined if there is none that the actor can view. */
export function findReadableBatch(actor: Actor, id: string, page = 1): Batch | undefined {
  const row = findBatch(db(), actor.orgId, id);
  if (!row || !mayRead(actor, row)) return undefined;
  return describe(actor, row, { page, size: ITEMS_ON_SCREEN, urgentFirst: true });
}

/** @throws AppError `not_found` */
export function listRetryableOfBatch(actor: Actor, id: string): string[] {
  const failed = listFailedDocuments(db(), readerOf(actor, requireBatch(actor, id)));
  const retryable = listRetryable(db(), failed);
  return failed.filter((one) => retryable.has(one));
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
  authorise(actor, "documents.write");
  const batch = requireBatch(actor, id);
  const open = listOpenJobs(db(), readerOf(actor, batch));
  transaction((tx) => {
    // Without access to all documents, only visible items are canceled and the batch continues.
    if (batch.userId === actor.userId && batch.cancelledAt === null)
      updateBatch(tx, id, { cancelledAt: now() });
    append(tx, actor, {
      action: "batch.cancelled",
      resource: `batch:${id}`,
      details: { jobs: open.length },
    });
  });
  await runInBatches(open, (tx, jobId) => {
    const job = findJob(tx, jobId);
    if (job && cancelJob(tx, job)) setImmediate(tellCancelled, job);
  });
  return readBatch(actor, id);
}

function tellCancelled({ id: jobId, orgId, documentId }: JobRow): void {
  abortJob(jobId);
  knowledgeChanged({ orgId, documentId: documentId ?? undefined, jobId });
}
