import type { Db } from "~/core/db.server";
import type { JobRow } from "../jobs/jobs.repo.server";

export type IngestionProgress = (step: NonNullable<JobRow["step"]>, done: number, total: number) => void;

export interface IngestionContext {
  signal: AbortSignal;
  progress: IngestionProgress;
  /** Ends the job within the caller's transaction. */
  succeed(tx: Db): void;
}

export const STEPS = [
  "fetching",
  "reading",
  "chunking",
  "embedding",
  "indexing",
] as const satisfies readonly NonNullable<JobRow["step"]>[];
export type Step = (typeof STEPS)[number];

export function isStep(value: string | undefined): value is Step {
  return STEPS.some((step) => step === value);
}
