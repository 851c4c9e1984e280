import type { JobRow } from "../documents/jobs/jobs.repo.server";

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
