import { rmSync } from "node:fs";
import type { Actor, Role } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches } from "~/core/db.server";
import { DAY, HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import {
  defineJob,
  type JobChange,
  type JobFacts,
  type JobKind,
  onJobChanged,
} from "~/platform/jobs/job-kind.service.server";
import { atLeast, may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { notify } from "~/team/notifications/notify.service.server";
import { Facts } from "~/work/extraction/document.schema";
import { watchIndexes } from "~/work/index/index.jobs.server";
import { followGroups, knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { findDocumentRow } from "./document-rows.repo.server";
import { hasFailed } from "./documents.repo.server";
import { acceptAddress } from "./ingestion/accept.server";
import {
  type IngestionContext,
  type IngestSteps,
  ingestSteps,
  runIngestion,
} from "./ingestion/context.server";
import { ingestDocument } from "./ingestion/ingest-document.server";
import { purge, reindexDocument } from "./ingestion/purge.server";
import { queueDueRefreshes, queuePurges, sweepBrokenUploads } from "./ingestion/schedule.server";
import { readSitemap } from "./ingestion/sitemap.server";
import {
  addJob,
  documentSweep,
  dueRefreshes,
  hasDueRemovals,
  ingestJob,
  markFailed,
  planRefreshes,
  planRemovals,
  purgeJob,
  recordCancellation,
  recordEnd,
  recordRetry,
  reindexJob,
  retryVersion,
  sitemapJob,
} from "./jobs/document-jobs.server";
import type { JobInput } from "./jobs/job";
import { documentSubject, isActiveJob, listBatchSources } from "./jobs/jobs.repo.server";
import { gitFolder } from "./sources/kinds/git.server";
import { followSyncs } from "./sources/sources.jobs.server";
import { findVersion } from "./versions/versions.repo.server";

/** The requester's current role, at most the one at the request. @throws AppError `forbidden` */
function requireRole(tx: Db, orgId: string, userId: string, requestedRole: Role): Role {
  const role = roleOf(tx, orgId, userId);
  if (!role || !may({ role }, "documents.write"))
    throw new AppError(
      "forbidden",
      "The person who started this can no longer add documents. Start it again as someone who can.",
    );
  return atLeast(role, requestedRole) ? requestedRole : role;
}

/** Queues a sitemap's URLs; another attempt finds those queued before. */
async function addSitemap({ jobId, input, orgId, owner, signal, progress }: IngestionContext): Promise<void> {
  const { sitemap, by, batchId } = input;
  if (!sitemap || !batchId || orgId === null) return;
  progress("fetching", 0, 0);
  const addresses = await readSitemap(sitemap.url, signal);
  const known = new Set(listBatchSources(db(), batchId));
  await runInBatches(
    addresses.filter((address) => !known.has(address)),
    (tx, url) => {
      if (!isActiveJob(tx, jobId)) return;
      const actor = { ...by, orgId, userId: owner, role: requireRole(tx, orgId, owner, sitemap.role) };
      acceptAddress(tx, actor, sitemap.place, { url, batchId });
    },
    { signal },
  );
}

function notifyFailure(tx: Db, job: JobFacts<JobInput>, documentName: string, error: string): void {
  const { id, orgId, owner, input } = job;
  const { documentId = "", versionId = "", batchId, refresh } = input;
  const { isFolder } = Facts.parse(findVersion(tx, versionId)?.facts ?? {});
  notify(tx, {
    event: "ingestion.failed",
    organisationId: orgId ?? "",
    audience: { permission: "documents.write", userIds: [owner] },
    title: isFolder ? `Files of ${documentName} weren't added` : `${documentName} couldn't be ingested`,
    body: batchId && !refresh ? `${error}\nOther documents of the batch may have failed too.` : error,
    link: `/rag/${documentId}`,
    // Limits them to one a day per URL, or one per batch.
    dedupeKey: refresh ? `${documentId}:${Math.floor(now() / DAY)}` : (batchId ?? id),
    // The document may be restricted.
    isPrivate: true,
  });
}

/** Marks the document as failed; an active version stays. */
function recordFailure(
  tx: Db,
  job: JobFacts<JobInput>,
  { error, code }: Extract<JobChange, { state: "failed" }>,
): void {
  const { id, orgId, owner, input } = job;
  const { documentId = "", versionId, refresh, by } = input;
  const document = findDocumentRow(tx, documentId);
  if (!document) return;
  markFailed(tx, documentId, versionId ?? null, error);
  recordEnd(tx, document, { id, state: "failed", error, code, ...(versionId ? { versionId } : {}) });
  notifyFailure(tx, job, document.name, error);
  // Remove data of earlier failures, so that a failing URL doesn't fill the disk.
  if (refresh) addJob(tx, { orgId: orgId ?? "", ...by, userId: owner }, purgeJob, { by, documentId });
}

function followIngestion(tx: Db, job: JobFacts<JobInput>, change: JobChange): void {
  if (change.state === "failed") recordFailure(tx, job, change);
  if (change.state === "cancelled") recordCancellation(tx, { ...job, orgId: job.orgId ?? "" });
}

/** Attempts, and the delays between them (ms). */
const RETRY = { attempts: 3, backoffMs: [2000, 15_000] } as const;

/** Retrying a failed job retries its document with a new job. */
function retryDocumentJob(tx: Db, actor: Actor, { input }: JobFacts<JobInput>): void {
  const document = findDocumentRow(tx, input.documentId ?? "");
  if (!document || document.deletedAt !== null || !hasFailed(document))
    throw new AppError("conflict", "The document was deleted or has already been ingested.");
  retryVersion(tx, actor, document);
  recordRetry(tx, actor, document);
}

/** @param steps replaced by tests */
export function ingestionJobs(steps: IngestSteps): readonly JobKind[] {
  const common = { hasPrivateErrors: true, timeoutMs: 6 * HOUR, keepMs: HOUR, retry: RETRY };
  return [
    defineJob({
      ...ingestJob,
      ...common,
      title: "Ingest documents",
      concurrency: 2,
      onChange: followIngestion,
      onRetry: retryDocumentJob,
      run: (context) => runIngestion(context, (running) => ingestDocument(running, steps)),
    }),
    defineJob({
      ...sitemapJob,
      ...common,
      title: "Read sitemaps",
      concurrency: 1,
      run: (context) => runIngestion(context, addSitemap),
    }),
    defineJob({
      ...reindexJob,
      ...common,
      title: "Update renamed and shared documents in indexes",
      concurrency: 1,
      run: (context) => runIngestion(context, (running) => reindexDocument(running, steps)),
    }),
    defineJob({
      ...purgeJob,
      ...common,
      title: "Remove deleted documents and old versions",
      concurrency: 1,
      freesSpace: hasDueRemovals,
      run: (context) => runIngestion(context, (running) => purge(running, steps)),
    }),
  ];
}

/** A fallback: each refresh and each purge is queued individually. */
const hourly = {
  concurrency: 1,
  timeoutMs: HOUR,
  keepMs: HOUR,
  schedule: { everyMs: HOUR, atStart: true, input: {} },
};

const refreshDueJob = defineJob({
  ...dueRefreshes,
  ...hourly,
  title: "Queue documents whose refresh is due",
  async run({ signal }) {
    while (!signal.aborted && (await queueDueRefreshes()) > 0);
  },
  onChange(tx, _job, { state }) {
    if (state === "succeeded") planRefreshes(tx);
  },
});

const sweepDocumentsJob = defineJob({
  ...documentSweep,
  ...hourly,
  title: "Remove deleted documents",
  freesSpace: hasDueRemovals,
  async run({ signal }) {
    while (!signal.aborted && queuePurges() > 0) await new Promise(setImmediate);
  },
  onChange(tx, _job, { state }) {
    if (state === "succeeded") planRemovals(tx);
  },
});

export const documentJobs: readonly JobKind[] = [
  ...ingestionJobs(ingestSteps),
  refreshDueJob,
  sweepDocumentsJob,
];

/** Notifies screens and waiting calls. @returns a stop function */
export function followDocumentJobs(): () => void {
  return onJobChanged(({ id: jobId, kind, orgId, subject }) => {
    if (!kind.startsWith("documents.") || orgId === null) return;
    const prefix = documentSubject("");
    const documentId = subject?.startsWith(prefix) ? subject.slice(prefix.length) : undefined;
    knowledgeChanged({ orgId, documentId, jobId });
  });
}

/** Prepares documents and indexes; call it before the jobs start. @returns a stop function */
export function startKnowledge(): () => void {
  const broken = sweepBrokenUploads();
  if (broken > 0) log.warn("uploads were interrupted by the last shutdown", { count: broken });
  // Repositories that were read when the console ended.
  rmSync(gitFolder(), { recursive: true, force: true });
  const stopFollowing = followDocumentJobs();
  const stopSyncs = followSyncs();
  const stopGroups = followGroups();
  const stopWatching = watchIndexes();
  return () => {
    stopFollowing();
    stopSyncs();
    stopGroups();
    stopWatching();
  };
}
