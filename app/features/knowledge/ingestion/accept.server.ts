import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/features/audit/audit.service.server";
import { enqueue } from "~/features/jobs/enqueue.service.server";
import { readSettings } from "~/features/settings/read-settings.service.server";
import { replaceReaders } from "../documents/access/document-readers.repo.server";
import { isReaderStill, knownReaders } from "../documents/access/document-readers.service.server";
import { listCategoryRows, nextOrderIndex } from "../documents/categories/categories.repo.server";
import { categoryNamed } from "../documents/categories/categories.service.server";
import { documentDetails } from "../documents/document-audit";
import { askedBy, type JobInput } from "../documents/jobs/job";
import { jobTypeOf } from "../documents/jobs/job-types.server";
import { insertJob, type JobRow } from "../documents/jobs/jobs.repo.server";
import { planRefreshes } from "../documents/jobs/plan.server";
import {
  insertDocument,
  insertVersion,
  lastVersionNumber,
  type VersionRow,
} from "../documents/versions/versions.repo.server";
import { type Placing, REFRESH_INTERVALS } from "./ingest.schema";

/** Where documents go and who sees them, looked up. */
export interface Place {
  categoryId: string;
  visibility: "organisation" | "named";
  readers: string[];
  /** Milliseconds between two readings of an address; null for never. */
  refreshEvery: number | null;
}

/** @throws AppError `conflict` where the settings switch documents off */
export function assertRagEnabled(orgId: string): void {
  if (readSettings(orgId, "rag").ragEnabled) return;
  throw new AppError(
    "conflict",
    "RAG is turned off. Turn it on in RAG & Embedding Settings to add documents.",
  );
}

/** @throws AppError `invalid` for a category or a reader that isn't there */
export function resolvePlace(actor: Actor, { category, visibility, readers, refresh }: Placing): Place {
  const known = visibility === "named" ? knownReaders(actor, readers) : [];
  const { id: categoryId } = categoryNamed(actor.orgId, category);
  return { categoryId, visibility, readers: known, refreshEvery: REFRESH_INTERVALS[refresh] };
}

interface NewDocument {
  name: string;
  type: "text" | "url" | "file";
  source: string;
}

/** A place as it is by now: its category or some of its readers may be gone since it was looked up. */
function asItIs(tx: Db, orgId: string, place: Place): Place {
  const there = listCategoryRows(tx, orgId).some(({ id, leaving }) => !leaving && id === place.categoryId);
  const categoryId = there ? place.categoryId : categoryNamed(orgId).id;
  return { ...place, categoryId, readers: place.readers.filter((id) => isReaderStill(tx, orgId, id)) };
}

/**
 * Writes a document that is being processed, with its audit entry, so that its author stays known regardless of the
 * result.
 * @returns its id
 */
export function addDocument(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  wanted: Place,
  document: NewDocument,
): string {
  const id = newId("doc");
  const { orgId, userId } = actor;
  const place = asItIs(tx, orgId, wanted);
  const refreshEvery = document.type === "url" ? place.refreshEvery : null;
  insertDocument(tx, {
    ...document,
    id,
    orgId,
    categoryId: place.categoryId,
    orderIndex: nextOrderIndex(tx, orgId, place.categoryId),
    status: "processing",
    visibility: place.visibility,
    refreshEvery,
    refreshAt: refreshEvery === null ? null : now() + refreshEvery,
    createdBy: userId,
    createdAt: now(),
    updatedAt: now(),
  });
  if (refreshEvery !== null) planRefreshes(tx);
  replaceReaders(tx, id, place.readers);
  const { name, type, source } = document;
  append(tx, actor, {
    action: "document.queued",
    resource: `document:${id}`,
    details: documentDetails(place, { filename: name, ...(source ? { source } : {}) }, { type }),
  });
  return id;
}

/** Writes a document's next version. @returns its id */
export function addVersion(
  tx: Db,
  documentId: string,
  version: Pick<VersionRow, "state" | "createdBy"> & Partial<VersionRow>,
): string {
  const id = newId("ver");
  const number = lastVersionNumber(tx, documentId) + 1;
  insertVersion(tx, { ...version, id, documentId, number, createdAt: now() });
  return id;
}

/** Queues the work of a record. */
export function queueJob(
  tx: Db,
  record: Pick<JobRow, "id" | "orgId" | "userId" | "kind"> & {
    documentId?: string | null;
    batchId?: string | null | undefined;
    input: Partial<JobInput>;
  },
): void {
  const { id, orgId, userId, documentId, batchId } = record;
  const subject = documentId ? `document:${documentId}` : `batch:${batchId}`;
  enqueue(tx, jobTypeOf(record), {}, { id, orgId, owner: userId, subject });
}

interface NewJob {
  kind: JobRow["kind"];
  documentId?: string | null;
  versionId?: string | null;
  batchId?: string | undefined;
  /** `queued` unless it is over already, such as that of a file that was refused. */
  state?: JobRow["state"];
  error?: string | undefined;
  input?: Partial<JobInput>;
}

/** Writes the record of a job and queues it, unless it is over already. @returns their id */
export function addJob(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  job: NewJob,
): string {
  const id = newId("job");
  const { state = "queued", input, error = null, ...rest } = job;
  const over = state !== "queued" && state !== "running";
  insertJob(tx, {
    ...rest,
    id,
    orgId: actor.orgId,
    userId: actor.userId,
    state,
    error,
    runAt: now(),
    input: { by: askedBy(actor), ...input },
    createdAt: now(),
    finishedAt: over ? now() : null,
  });
  if (state === "queued")
    queueJob(tx, { id, orgId: actor.orgId, userId: actor.userId, input: input ?? {}, ...rest });
  return id;
}
