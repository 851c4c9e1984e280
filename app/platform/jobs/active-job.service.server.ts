import type { Db } from "~/core/db.server";
import type { JobTypeOf } from "./job-kind.service.server";
import { findActiveJob } from "./jobs.repo.server";
import { JobProgress } from "./jobs.schema";

/** The unfinished job with a dedupe key. */
export function findActive<Input>(
  tx: Db,
  { kind, input: schema }: JobTypeOf<Input>,
  dedupeKey: string,
):
  | { id: string; isRunning: boolean; input: Input; createdAt: number; progress: JobProgress | null }
  | undefined {
  const job = findActiveJob(tx, kind, dedupeKey);
  if (!job) return undefined;
  const input = schema.safeParse(job.input);
  if (!input.success) return undefined;
  const { id, state, createdAt } = job;
  const progress = JobProgress.safeParse(job.progress).data ?? null;
  return { id, isRunning: state === "running", input: input.data as Input, createdAt, progress };
}
