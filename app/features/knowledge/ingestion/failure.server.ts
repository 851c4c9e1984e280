import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import type { JobRow } from "../documents/jobs/jobs.repo.server";
import { isOutage } from "../index/outages";

/** What a failed attempt means to the queue: an error that is transient there only where another attempt can help. */
export function toJobError(error: unknown, step: JobRow["step"]): AppError {
  if (!(error instanceof AppError)) {
    log.error("an ingestion job failed", { error });
    const message = "Something went wrong on the server. Try again.";
    return new AppError("internal", message, { cause: error, lasting: true });
  }
  const { code, message } = error;
  // What can't be read in time now can't be read in time later.
  if (step === "reading" || !isOutage(error))
    return new AppError(code, message, { cause: error, lasting: true });
  // With the text read, the next attempt serves the keywords alone, so that a provider's longer pause needn't be kept.
  if (step === "embedding" || step === "indexing") return new AppError(code, message, { cause: error });
  return error;
}
