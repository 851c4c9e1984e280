import type { JobRow } from "../documents/jobs/jobs.repo.server";

export type IngestionProgress = (step: NonNullable<JobRow["step"]>, done: number, total: number) => void;

/** What ingestion's work is handed. */
export interface IngestionContext {
  /** Fires when the job is cancelled or the process stops. */
  signal: AbortSignal;
  progress: IngestionProgress;
}
