import { z } from "zod";
import { type Actor, atLeast, type Role } from "~/core/actor";
import { runInBatches } from "~/core/batches.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { onJobChanged } from "~/platform/jobs/job-events.service.server";
import { defineJob, type JobContext, type JobKind, Postponed } from "~/platform/jobs/job-kind.service.server";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { hasFailed } from "../documents.repo.server";
import { findDocumentForJob } from "../documents-for-jobs.repo.server";
import { JobInput } from "../jobs/job";
import { ingestType, purgeType, sitemapType, updateType } from "../jobs/job-types.server";
import { findJob, type JobRow, updateJob } from "../jobs/jobs.repo.server";
import { hasDueRemovals } from "../jobs/plan.server";
import { recordRetry } from "../jobs/record-retry.server";
import { retryVersion } from "../jobs/retry.server";
import { acceptAddress } from "./accept-address.server";
import { findBatch, listBatchSources } from "./batches/batches.repo.server";
import { type IngestionContext, STEPS, type Step } from "./context";
import { toJobError } from "./failure.server";
import { followJob } from "./follow-job.server";
import { ingestDocument } from "./ingest-document.server";
import { runPurge, runUpdate } from "./purge.server";
import { readSitemap } from "./sitemap.server";
import { type IngestSteps, ingestSteps } from "./steps.server";

/** Uses the requester's current role. */
function requireRole(tx: Db, { orgId, userId }: JobRow, requestedRole: Role): Role {
  const role = roleOf(tx, orgId, userId);
  if (!role || !may({ role }, "documents.write"))
    throw new AppError(
      "forbidden",
      "The person who started this can no longer add documents. Start it again as someone who can.",
    );
  return atLeast(role, requestedRole) ? requestedRole : role;
}

/** Queues a sitemap's URLs; another attempt skips those queued before. */
async function runSitemap(job: JobRow, { signal, progress }: IngestionContext): Promise<void> {
  const { sitemap, by } = JobInput.parse(job.input);
  const { orgId, batchId, userId } = job;
  if (!sitemap || !batchId) return;
  progress("fetching", 0, 0);
  const addresses = await readSitemap(sitemap.url, signal);
  const knownSources = new Set(listBatchSources(db(), batchId));
  await runInBatches(
    addresses.filter((address) => !knownSources.has(address)),
    (tx, url) => {
      if (findBatch(tx, { orgId, userId }, batchId)?.cancelledAt) return;
      const actor = { ...by, orgId, userId, role: requireRole(tx, job, sitemap.role) };
      acceptAddress(tx, actor, sitemap.place, { url, batchId });
    },
    { signal },
  );
  const input: JobInput = { ...JobInput.parse(job.input), outcome: "added" };
  transaction((tx) =>
    updateJob(tx, job.id, "running", { state: "done", input, step: null, finishedAt: now() }),
  );
}

/** The furthest step of any attempt, to detect crashes without progress. */
const Furthest = z.object({ step: z.enum(STEPS), done: z.number() });
/** Minimum interval of checkpoints within a step (ms). */
const CHECKPOINT_EVERY = 1000;

function createReporter(context: JobContext<unknown>) {
  const parsed = Furthest.safeParse(context.checkpoint);
  let furthest = parsed.success ? parsed.data : undefined;
  let saved = { step: furthest?.step, at: Number.NEGATIVE_INFINITY };
  let current: Step | null = null;
  const isFurther = (step: Step, done: number) => {
    const ahead = STEPS.indexOf(step) - (furthest ? STEPS.indexOf(furthest.step) : -1);
    return ahead > 0 || (ahead === 0 && done > (furthest?.done ?? 0));
  };
  const report: IngestionContext["progress"] = (step, done, total) => {
    current = step;
    context.progress({ step, done, total });
    if (!isFurther(step, done)) return;
    furthest = { step, done };
    if (step === saved.step && performance.now() - saved.at < CHECKPOINT_EVERY) return;
    saved = { step, at: performance.now() };
    context.saveCheckpoint(furthest, { isDeferred: true });
  };
  return { report, currentStep: () => current };
}

/** Runs a job unless its record has ended, as after a crash between both commits. */
async function runRecorded(
  context: JobContext<unknown>,
  work: (record: JobRow, context: IngestionContext) => Promise<void>,
): Promise<void> {
  const record = findJob(db(), context.jobId);
  if (record?.state !== "running") return;
  const { report, currentStep } = createReporter(context);
  try {
    await work(record, { signal: context.signal, progress: report, succeed: (tx) => context.succeed(tx) });
  } catch (error) {
    if (error instanceof Postponed || context.signal.aborted) throw error;
    throw toJobError(error, currentStep());
  }
}

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
