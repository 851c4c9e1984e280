import type { Actor } from "~/core/actor";
import { atLeast } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { inSlices } from "~/core/time-slices.server";
import { authorise } from "~/features/members/authorisation.server";
import type { Batch, BatchInput, BatchItem } from "./batches.schema";
import { WebAddress } from "./ingest.schema";
import { addJob, assertRagEnabled, resolvePlace } from "./ingestion/accept.server";
import { acceptAddress } from "./ingestion/accept-address.server";
import { cancelJob } from "./ingestion/cancel.server";
import { knowledgeChanged } from "./ingestion/changes.server";
import { JobInput } from "./ingestion/job";
import {
  type BatchRow,
  findBatch,
  findJob,
  insertBatch,
  type JobRow,
  listBatchJobs,
  updateBatch,
} from "./ingestion/jobs.repo.server";
import { abortJob, wakeQueue } from "./ingestion/queue.server";

function toItem(job: JobRow, name: string | null): BatchItem {
  const input = JobInput.parse(job.input);
  const { documentId, state, step, done, total, error } = job;
  return {
    documentId,
    name: name ?? input.name ?? "A document that was deleted",
    state,
    outcome: input.outcome ?? null,
    step,
    done,
    total,
    error: state === "queued" ? null : error,
  };
}

function describe(actor: Actor, row: BatchRow): Batch {
  const items = listReadableJobs(actor, row).map(({ job, name }) => toItem(job, name));
  const count = (state: BatchItem["state"]) => items.filter((item) => item.state === state).length;
  return {
    id: row.id,
    label: row.userId === actor.userId ? row.label : `${items.length} of somebody's documents`,
    createdAt: new Date(row.createdAt).toISOString(),
    cancelledAt: row.cancelledAt === null ? null : new Date(row.cancelledAt).toISOString(),
    counts: {
      total: items.length,
      queued: count("queued"),
      running: count("running"),
      done: count("done"),
      failed: count("failed"),
      cancelled: count("cancelled"),
    },
    items,
  };
}

/** What someone no longer sees, or was deleted, isn't told of in a batch either; its sitemap is its owner's alone. */
function listReadableJobs(actor: Actor, { id, userId }: BatchRow) {
  return listBatchJobs(db(), id, actor.userId).filter(({ job, seen }) =>
    job.documentId === null ? userId === actor.userId : seen,
  );
}

/** One's own, or as an admin what one sees of anyone's. */
function mayRead(actor: Actor, row: BatchRow): boolean {
  if (row.userId === actor.userId) return true;
  return atLeast(actor.role, "admin") && listReadableJobs(actor, row).length > 0;
}

function requireBatch(actor: Actor, id: string): BatchRow {
  const row = findBatch(db(), actor.orgId, id);
  if (row && mayRead(actor, row)) return row;
  throw new AppError("not_found", "There is no such batch.");
}

/** @throws AppError `not_found` */
export function readBatch(actor: Actor, id: string): Batch {
  authorise(actor, "screens.read");
  return describe(actor, requireBatch(actor, id));
}

/** The batch, or nothing where there is none that the actor may read: for a screen that has more to show. */
export function findReadableBatch(actor: Actor, id: string): Batch | undefined {
  const row = findBatch(db(), actor.orgId, id);
  return row && mayRead(actor, row) ? describe(actor, row) : undefined;
}

/** Takes several addresses on, or a sitemap that lists them. */
export async function createBatch(actor: Actor, input: BatchInput): Promise<Batch> {
  authorise(actor, "documents.write");
  assertRagEnabled(actor.orgId);
  const { urls = [], sitemap, ...placing } = input;
  const place = resolvePlace(actor, placing);
  const addresses = [...new Set(urls.map((url) => WebAddress.parse(url)))];
  const id = newId("bat");
  const { orgId, userId } = actor;
  const label = sitemap ?? (addresses.length === 1 ? (addresses[0] ?? "") : `${addresses.length} addresses`);
  transaction((tx) => {
    insertBatch(tx, { id, orgId, userId, label, createdAt: now() });
    if (sitemap === undefined) return;
    const name = `Sitemap ${sitemap}`;
    addJob(tx, actor, {
      kind: "sitemap",
      batchId: id,
      input: { name, sitemap: { url: sitemap, role: actor.role, place } },
    });
  });
  await inSlices(addresses, (tx, url) => acceptAddress(tx, actor, place, { url, batchId: id }));
  knowledgeChanged({ orgId });
  wakeQueue();
  return readBatch(actor, id);
}

/** Cancels what of a batch isn't over yet. */
export async function cancelBatch(actor: Actor, id: string): Promise<Batch> {
  authorise(actor, "documents.write");
  const batch = requireBatch(actor, id);
  transaction((tx) => {
    // Somebody else cancels what they see alone: the rest goes on, and the batch with it.
    if (batch.userId === actor.userId && batch.cancelledAt === null)
      updateBatch(tx, id, { cancelledAt: now() });
  });
  const jobs = listReadableJobs(actor, batch).map(({ job }) => job);
  await inSlices(jobs, (tx, { id: jobId }) => {
    const job = findJob(tx, jobId);
    if (job && cancelJob(tx, job)) setImmediate(tellCancelled, job);
  });
  return readBatch(actor, id);
}

function tellCancelled({ id: jobId, orgId, documentId }: JobRow): void {
  abortJob(jobId);
  knowledgeChanged({ orgId, documentId: documentId ?? undefined, jobId });
}
