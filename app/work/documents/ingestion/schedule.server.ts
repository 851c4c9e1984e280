import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { isMember } from "~/team/members/member.service.server";
import { systemActor } from "~/work/index/system-actor.server";
import { documentDetails } from "../access/document-access.server";
import { MIN_REFRESH_INTERVAL } from "../document-input.schema";
import {
  findDocumentRow,
  listDeletedDocuments,
  listDueDocuments,
  mendDeletions,
  updateDocumentRow,
} from "../document-rows.repo.server";
import type { DocumentRow } from "../documents.repo.server";
import {
  addJob,
  findIngestion,
  ingestJob,
  markFailed,
  purgeJob,
  UNDO_TIME,
} from "../jobs/document-jobs.server";
import { listActiveJobs } from "../jobs/jobs.repo.server";
import { isUploading } from "../versions/version-content.server";
import { listReceiving } from "../versions/versions.repo.server";
import { interruptedUpload } from "./upload.service.server";

const PURGES_PER_RUN = 20;
const REFRESHES_PER_RUN = 200;
/** Delay before retrying a failed purge (ms). */
const PURGE_PAUSE = 60 * 60_000;
const SYSTEM = { userId: "system" };

/** The next due time in the future; missed times are caught up once. */
function nextDue({ refreshAt, refreshEvery }: DocumentRow, at: number): number | null {
  if (!refreshEvery) return null;
  const every = Math.max(MIN_REFRESH_INTERVAL, refreshEvery);
  const from = refreshAt ?? at;
  return from + every * (Math.floor((at - from) / every) + 1);
}

function stopSchedule(tx: Db, document: DocumentRow): void {
  const { id, orgId, name } = document;
  updateDocumentRow(tx, id, { refreshEvery: null, refreshAt: null });
  append(tx, systemActor(orgId), {
    action: "document.schedule_stopped",
    resource: `document:${id}`,
    details: documentDetails(
      document,
      { name },
      { reason: "the person who added it can no longer add documents" },
    ),
  });
}

function queueRefresh(tx: Db, documentId: string, at: number): boolean {
  const document = findDocumentRow(tx, documentId);
  if (!document || document.deletedAt !== null || (document.refreshAt ?? at + 1) > at) return false;
  const { orgId, createdBy: userId } = document;
  const role = roleOf(tx, orgId, userId);
  const isSuspended = role === undefined && isMember(tx, orgId, userId);
  if (!isSuspended && !(role && may({ role }, "documents.write"))) {
    stopSchedule(tx, document);
    return false;
  }
  updateDocumentRow(tx, documentId, { refreshAt: nextDue(document, at) });
  if (isSuspended || findIngestion(tx, documentId) || !readSettings(orgId, "rag").ragEnabled) return false;
  addJob(tx, { orgId, userId }, ingestJob, { refresh: true, documentId, by: SYSTEM });
  return true;
}

/** Queues due refreshes, limited per run. The next due time is part of the commit. */
export async function queueDueRefreshes(): Promise<number> {
  const at = now();
  let queued = 0;
  const due = listDueDocuments(db(), at, REFRESHES_PER_RUN);
  await runInBatches(due, (tx, { id }) => {
    if (queueRefresh(tx, id, at)) queued += 1;
  });
  return queued;
}

export function queuePurges(): number {
  return transaction((tx) => {
    const at = now();
    mendDeletions(tx, at);
    const limits = { before: at - UNDO_TIME, failedSince: at - PURGE_PAUSE, limit: PURGES_PER_RUN };
    const idle = listDeletedDocuments(tx, limits);
    for (const { id: documentId, orgId, createdBy: userId } of idle)
      addJob(tx, { orgId, userId }, purgeJob, { documentId, by: SYSTEM });
    return idle.length;
  });
}

/** Marks uploads interrupted by a crash as failed. An active version stays. */
export function sweepBrokenUploads(): number {
  const broken = listReceiving(db()).filter(
    ({ id, documentId }) =>
      !isUploading(id) && !listActiveJobs(db(), documentId).some(({ input }) => input.versionId === id),
  );
  for (const { id, documentId } of broken) {
    transaction((tx) => {
      const document = findDocumentRow(tx, documentId);
      if (!document?.versionId) return markFailed(tx, documentId, id, interruptedUpload(document?.type));
      const { orgId, createdBy: userId } = document;
      if (listActiveJobs(tx, documentId).some(({ kind }) => kind === purgeJob.kind)) return;
      addJob(tx, { orgId, userId }, purgeJob, { documentId, by: SYSTEM });
    });
  }
  return broken.length;
}
