import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import type { JobChange } from "~/platform/jobs/job-kind.service.server";
import type { JobProgress } from "~/platform/jobs/jobs.schema";
import { notify } from "~/team/notifications/notify.service.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { addJob } from "../jobs/add-job.server";
import { cancelRecord } from "../jobs/cancel.server";
import { JobInput } from "../jobs/job";
import { findJob, type JobRow, updateJob } from "../jobs/jobs.repo.server";
import { markFailed } from "../versions/mark-failed.server";
import { isStep } from "./context";

type State = JobRow["state"];
const ACTIVE: readonly State[] = ["queued", "running"];

function progressOf(progress: JobProgress | undefined): Partial<JobRow> {
  if (!progress || !isStep(progress.step)) return {};
  return { step: progress.step, done: progress.done, total: progress.total };
}

function notifyFailure(
  tx: Db,
  { id, orgId, userId, kind, batchId }: JobRow,
  documentId: string,
  error: string,
) {
  const name = findDocumentForJob(tx, documentId)?.name ?? "A document";
  const key = kind === "refresh" ? `${documentId}:${Math.floor(now() / DAY)}` : (batchId ?? id);
  notify(tx, {
    event: "ingestion.failed",
    organisationId: orgId,
    audience: { permission: "documents.write", userIds: [userId] },
    title: `${name} couldn't be ingested`,
    body:
      batchId && kind !== "refresh" ? `${error}\nOther documents of the batch may have failed too.` : error,
    link: `/rag/${documentId}`,
    dedupeKey: key,
    // The document may be restricted.
    isPrivate: true,
  });
}

/** Marks the document as failed; an active version stays. */
function fail(tx: Db, record: JobRow, { error, code }: Extract<JobChange, { state: "failed" }>): void {
  const input = { ...JobInput.parse(record.input), code };
  const attempts = record.attempts + 1;
  updateJob(tx, record.id, record.state, { state: "failed", attempts, error, input, finishedAt: now() });
  const { documentId, versionId, orgId, userId, kind } = record;
  if (!documentId || kind === "purge") return;
  markFailed(tx, documentId, versionId, error);
  notifyFailure(tx, record, documentId, error);
  // Remove data of earlier failures, so that a failing URL doesn't fill the disk.
  if (kind === "refresh") addJob(tx, { orgId, ...input.by, userId }, { kind: "purge", documentId });
}

export function followJob(tx: Db, { id }: { id: string }, change: JobChange): void {
  const record = findJob(tx, id);
  if (!record) return;
  // A failed job retried on the System screen reuses its record.
  const isRetried = change.state === "queued" && record.state === "failed";
  if (!ACTIVE.includes(record.state) && !isRetried) return;
  switch (change.state) {
    case "running":
      updateJob(tx, id, record.state, { state: "running", error: null, ...progressOf(change.progress) });
      return;
    case "queued": {
      const { attempts, runAt, error } = change;
      updateJob(tx, id, record.state, { state: "queued", attempts, runAt, error, finishedAt: null });
      return;
    }
    case "succeeded":
      updateJob(tx, id, record.state, { state: "done", step: null, finishedAt: now() });
      return;
    case "failed":
      fail(tx, record, change);
      return;
    case "cancelled":
      cancelRecord(tx, record);
  }
}
