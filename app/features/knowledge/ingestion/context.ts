import type { Db } from "~/core/db.server";
import type { JobRow } from "../documents/jobs/jobs.repo.server";

export type IngestionProgress = (step: NonNullable<JobRow["step"]>, done: number, total: number) => void;

/** What ingestion's work is handed. */
export interface IngestionContext {
  /** Fires when the job is cancelled or the process stops. */
  signal: AbortSignal;
  progress: IngestionProgress;
  /** Ends the job in the caller's transaction. */
  succeed(tx: Db): void;
}
