import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { isTransient } from "~/work/index/transient-errors";
import type { JobRow } from "../jobs/jobs.repo.server";

export function toJobError(thrown: unknown, step: JobRow["step"]): AppError {
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
