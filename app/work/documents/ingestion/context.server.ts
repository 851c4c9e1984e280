import { z } from "zod";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { type JobContext, Postponed } from "~/platform/jobs/job-kind.service.server";
import { readVersion } from "~/work/extraction/read-document.service.server";
import type { ReadVersion } from "~/work/extraction/read-task";
import { pageRecognizer, type RecognizePage } from "~/work/extraction/recognition/recognize.service.server";
import { indexVersion, renewTerms } from "~/work/index/generations/index-version.server";
import { moveScope, removeVersionChunks } from "~/work/index/generations/remove-chunks.server";
import { isTransient } from "~/work/index/transient-errors";
import { INGEST_STEPS } from "../documents.schema";
import type { JobInput } from "../jobs/job";

type Step = (typeof INGEST_STEPS)[number];

type IngestionProgress = (step: Step, done: number, total: number) => void;

export type IngestionContext = Omit<JobContext<JobInput>, "progress"> & { progress: IngestionProgress };

export function toJobError(thrown: unknown, step: Step | null): AppError {
  const error = explainStorageFault(thrown);
  if (!(error instanceof AppError)) {
    log.error("an ingestion job failed", { error });
    const message = "Something went wrong on the server. Try again.";
    return new AppError("internal", message, { cause: error, permanent: true });
  }
  const { code, message } = error;
  // A read timeout would recur.
  if (step === "reading" || !isTransient(error))
    return new AppError(code, message, { cause: error, permanent: true });
  // Once the text is read, the next attempt can serve keywords alone.
  if (step === "embedding" || step === "indexing") return new AppError(code, message, { cause: error });
  return error;
}

/** The furthest step of any attempt, to detect crashes without progress. */
const Furthest = z.object({ step: z.enum(INGEST_STEPS), done: z.number() });
/** Minimum interval of checkpoints within a step (ms). */
const CHECKPOINT_EVERY = 1000;

function createReporter(context: JobContext<JobInput>) {
  const parsed = Furthest.safeParse(context.checkpoint);
  let furthest = parsed.success ? parsed.data : undefined;
  let saved = { step: furthest?.step, at: Number.NEGATIVE_INFINITY };
  let current: Step | null = null;
  const isFurther = (step: Step, done: number) => {
    const ahead = INGEST_STEPS.indexOf(step) - (furthest ? INGEST_STEPS.indexOf(furthest.step) : -1);
    return ahead > 0 || (ahead === 0 && done > (furthest?.done ?? 0));
  };
  const report: IngestionProgress = (step, done, total) => {
    current = step;
    context.progress({ step, done, total });
    if (!isFurther(step, done)) return;
    furthest = { step, done };
    if (step === saved.step && performance.now() - saved.at < CHECKPOINT_EVERY) return;
    saved = { step, at: performance.now() };
    context.saveCheckpoint(furthest, { mayBeLost: true });
  };
  return { report, currentStep: () => current };
}

/** Runs a job with its progress, and tells the queue whether a retry of a failure can help. */
export async function runIngestion(
  context: JobContext<JobInput>,
  work: (context: IngestionContext) => Promise<void>,
): Promise<void> {
  const { report, currentStep } = createReporter(context);
  try {
    await work({ ...context, progress: report });
  } catch (error) {
    if (error instanceof Postponed || context.signal.aborted) throw error;
    throw toJobError(error, currentStep());
  }
}

/** Resumable steps of ingestion; tests replace them. */
export interface IngestSteps {
  readVersion(
    version: { versionId: string; name: string; contentType: string; encoding?: string; url?: string },
    signal: AbortSignal,
  ): Promise<ReadVersion>;
  /** Asked for each document; undefined where none is available. */
  pageRecognizer(orgId: string): RecognizePage | undefined;
  indexVersion(work: {
    orgId: string;
    documentId: string;
    versionId: string;
    onProgress: IngestionProgress;
    signal: AbortSignal;
    allowKeywordsOnly: boolean;
  }): Promise<{ hasEmbeddings: boolean } | undefined>;
  removeVersionChunks(versionId: string, signal: AbortSignal): Promise<void>;
  moveScope(documentId: string, signal: AbortSignal): Promise<void>;
  renewTerms(documentId: string, signal: AbortSignal): Promise<void>;
}

export const ingestSteps: IngestSteps = {
  readVersion,
  pageRecognizer,
  indexVersion,
  removeVersionChunks,
  moveScope,
  renewTerms,
};
