import { and, asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Db, prepared } from "~/core/db.server";
import { JobProgress } from "~/platform/jobs/jobs.schema";
import { documents, isVisibleTo, jobs } from "~db/schema";
import { type DocumentProgress, INGEST_STEPS } from "../documents.schema";
import { JobInput } from "./job";

type Row = typeof jobs.$inferSelect;

/** An unfinished job of a document or a sitemap. */
export interface ActiveJob {
  id: string;
  kind: string;
  orgId: string;
  /** Who started it. */
  owner: string;
  isRunning: boolean;
  input: JobInput;
}

/** The kind of job that reads documents. */
export const INGESTION = "documents.ingest";

const ACTIVE: Row["state"][] = ["scheduled", "queued", "running", "waiting"];

export const documentSubject = (documentId: string) => `document:${documentId}`;
export const batchSubject = (batchId: string) => `batch:${batchId}`;

function toActive({ id, kind, orgId, owner, state, input }: Row): ActiveJob[] {
  const parsed = JobInput.safeParse(input);
  if (!parsed.success || orgId === null) return [];
  return [{ id, kind, orgId, owner, isRunning: state === "running", input: parsed.data }];
}

const activeRows = prepared((db) =>
  db
    .select()
    .from(jobs)
    .where(and(eq(jobs.subject, sql.placeholder("subject")), inArray(jobs.state, ACTIVE)))
    .prepare(),
);

export function listActiveJobs(tx: Db, documentId: string): ActiveJob[] {
  return activeRows(tx)
    .all({ subject: documentSubject(documentId) })
    .flatMap(toActive);
}

/** Unfinished jobs of a batch's visible documents, and that of its sitemap. */
export function listBatchJobs(tx: Db, userId: string, batchId: string): ActiveJob[] {
  const visible = tx
    .select({ subject: sql`'document:' || ${documents.id}` })
    .from(documents)
    .where(and(eq(documents.batchId, batchId), isVisibleTo(userId, documents.id)));
  const ofDocuments = tx
    .select()
    .from(jobs)
    .where(and(inArray(jobs.subject, visible), inArray(jobs.state, ACTIVE)))
    .orderBy(asc(jobs.createdAt), asc(jobs.id))
    .all();
  const ofSitemap = activeRows(tx)
    .all({ subject: batchSubject(batchId) })
    .filter(({ owner }) => owner === userId);
  return [...ofSitemap, ...ofDocuments].flatMap(toActive).filter(({ input }) => input.batchId === batchId);
}

export function isActiveJob(tx: Db, id: string): boolean {
  const active = and(eq(jobs.id, id), inArray(jobs.state, ACTIVE));
  return tx.select({ id: jobs.id }).from(jobs).where(active).get() !== undefined;
}

export function listBatchSources(tx: Db, batchId: string): string[] {
  const rows = tx.select({ source: documents.source }).from(documents).where(eq(documents.batchId, batchId));
  return rows.all().map(({ source }) => source);
}

/** The job that reads a batch's sitemap, while it is kept. */
export function findSitemapJob(
  tx: Db,
  userId: string,
  batchId: string,
): { isActive: boolean; error: string | null } | undefined {
  const job = tx
    .select({ state: jobs.state, error: jobs.error })
    .from(jobs)
    .where(and(eq(jobs.subject, batchSubject(batchId)), eq(jobs.owner, userId)))
    .orderBy(desc(jobs.createdAt))
    .limit(1)
    .get();
  if (!job) return undefined;
  const isActive = ACTIVE.includes(job.state);
  return { isActive, error: job.state === "cancelled" ? "It was canceled." : isActive ? null : job.error };
}

const Progress = JobProgress.extend({ step: z.enum(INGEST_STEPS) });

/** The progress of documents that are being ingested. */
export function listProgress(tx: Db, documentIds: readonly string[]): Map<string, DocumentProgress> {
  const rows = tx
    .select({ subject: jobs.subject, state: jobs.state, progress: jobs.progress })
    .from(jobs)
    .where(
      and(
        inArray(jobs.subject, documentIds.map(documentSubject)),
        inArray(jobs.state, ACTIVE),
        eq(jobs.kind, INGESTION),
      ),
    )
    .orderBy(asc(jobs.createdAt))
    .all();
  return new Map(
    rows.map(({ subject, state, progress }) => {
      const { step = null, done = 0, total = 0 } = Progress.safeParse(progress).data ?? {};
      const shown = state === "running" ? ("running" as const) : ("queued" as const);
      return [subject?.slice(documentSubject("").length) ?? "", { state: shown, step, done, total }];
    }),
  );
}

/** Errors of the content itself, which a retry can't fix. */
const PERMANENT_ERRORS = sql`('invalid', 'unprocessable', 'too_large', 'unsupported_media')`;

const HAS_READABLE_BYTES: SQL = sql`exists (
  select 1 from document_versions v
  where v.document_id = ${documents.id}
    and case when ${documents.lastJob} ->> '$.state' in ('failed', 'cancelled')
      then v.id = ${documents.lastJob} ->> '$.versionId' else v.state = 'failed' end
    and v.sha256 is not null
    and v.id is not ${documents.versionId}
    and coalesce(${documents.lastJob} ->> '$.code', '') not in ${PERMANENT_ERRORS})`;

/** A URL is fetched again; the stored bytes of a file or text must be readable. */
const HAS_SOURCE: SQL = sql`(${documents.type} = 'url' or ${HAS_READABLE_BYTES})`;
const RETRYABLE: SQL = sql`(${documents.status} = 'failed' or ${documents.error} is not null) and ${HAS_SOURCE}`;

export function listRetryable(tx: Db, documentIds: readonly string[]): Set<string> {
  const rows = tx
    .select({ id: documents.id })
    .from(documents)
    .where(and(inArray(documents.id, [...documentIds]), RETRYABLE))
    .all();
  return new Set(rows.map(({ id }) => id));
}

/** Queries for a read thread: the number of retryable documents without an active version, one per condition. */
export function retryableQueries(tx: Db, conditions: readonly SQL[]) {
  return conditions.map((condition) =>
    tx
      .select({ documents: count() })
      .from(documents)
      .where(and(condition, eq(documents.status, "failed"), HAS_SOURCE))
      .toSQL(),
  );
}
