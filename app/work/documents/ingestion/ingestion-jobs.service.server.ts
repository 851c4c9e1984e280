import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { onJobChanged } from "~/platform/jobs/job-events.service.server";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { hasFailed } from "../documents.repo.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { ingestType, purgeType, sitemapType, updateType } from "../jobs/job-types.server";
import { findJob, type JobRow } from "../jobs/jobs.repo.server";
import { hasDueRemovals } from "../jobs/plan.server";
import { recordRetry } from "../jobs/record-retry.server";
import { retryVersion } from "../jobs/retry.server";
import type { IngestionContext } from "./context";
import { followJob } from "./follow-job.server";
import { ingestDocument } from "./ingest-document.server";
import { runPurge, runUpdate } from "./purge.server";
import { runRecorded } from "./run-recorded.server";
import { runSitemap } from "./run-sitemap.server";
import { type IngestSteps, ingestSteps } from "./steps.server";

const HOUR = 60 * 60_000;
/** Attempts, and the delays between them (ms). */
const RETRY = { attempts: 3, backoffMs: [2000, 15_000] } as const;

/** Retrying a failed job retries its document with a new job. */
function retryDocumentJob(tx: Db, actor: Actor, { id }: { id: string }): void {
  const record = findJob(tx, id);
  const document = record?.documentId ? findDocumentForJob(tx, record.documentId) : undefined;
  if (!document || document.deletedAt !== null || !hasFailed(document))
    throw new AppError("conflict", "The document was deleted or has already been ingested.");
  retryVersion(tx, actor, document);
  recordRetry(tx, actor, document);
}

export function ingestionJobs(steps: IngestSteps): readonly JobKind[] {
  const run =
    (
      work: (record: JobRow, steps: IngestSteps, context: IngestionContext) => Promise<void>,
    ): JobKind["run"] =>
    (context) =>
      runRecorded(context, (record, ingestion) => work(record, steps, ingestion));
  const common = { hasPrivateErrors: true, onChange: followJob, timeoutMs: 6 * HOUR, keepMs: HOUR };
  return [
    defineJob({
      ...ingestType,
      ...common,
      title: "Ingest documents",
      concurrency: 2,
      retry: RETRY,
      onRetry: retryDocumentJob,
      run: run(ingestDocument),
    }),
    defineJob({
      ...sitemapType,
      ...common,
      title: "Read sitemaps",
      concurrency: 1,
      retry: RETRY,
      run: run((record, _, context) => runSitemap(record, context)),
    }),
    defineJob({
      ...updateType,
      ...common,
      title: "Update renamed and shared documents in indexes",
      concurrency: 1,
      retry: RETRY,
      run: run(runUpdate),
    }),
    defineJob({
      ...purgeType,
      ...common,
      title: "Remove deleted documents and old versions",
      concurrency: 1,
      retry: RETRY,
      freesSpace: hasDueRemovals,
      run: run(runPurge),
    }),
  ];
}

export const documentJobs = ingestionJobs(ingestSteps);

const DOCUMENT = "document:";

/** Notifies screens and waiting calls. @returns a stop function */
export function followDocumentJobs(): () => void {
  return onJobChanged(({ id: jobId, kind, orgId, subject }) => {
    if (!kind.startsWith("documents.") || orgId === null) return;
    const documentId = subject?.startsWith(DOCUMENT) ? subject.slice(DOCUMENT.length) : undefined;
    knowledgeChanged({ orgId, documentId, jobId });
  });
}
