import { transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { knowledgeChanged } from "./changes.server";
import { type JobRow, updateJob } from "./jobs.repo.server";

/** Between two notes of how far a step is, in milliseconds. */
const EVERY = 250;

export type JobProgress = (step: NonNullable<JobRow["step"]>, done: number, total: number) => void;

/** Notes a job's progress in its row: a new step at once, the rest a few times a second. */
export function reportProgress(job: JobRow): { report: JobProgress; end(): void } {
  let noted = { step: job.step, at: 0 };
  let latest: { step: JobRow["step"]; done: number; total: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!latest) return;
    const change = latest;
    latest = undefined;
    noted = { step: change.step, at: performance.now() };
    transaction((tx) => updateJob(tx, job.id, "running", change), { durable: false });
    knowledgeChanged({ orgId: job.orgId, documentId: job.documentId ?? undefined, jobId: job.id });
  };
  const noteLater = () => {
    try {
      note();
    } catch (error) {
      // Nobody catches what a timer throws, and the next note may be written.
      log.warn("the progress of an ingestion job could not be noted", { error });
    }
  };
  return {
    report(step, done, total) {
      latest = { step, done, total };
      const wait = noted.at + EVERY - performance.now();
      if (step !== noted.step || wait <= 0) note();
      else timer ??= setTimeout(noteLater, wait);
    },
    end() {
      clearTimeout(timer);
      latest = undefined;
    },
  };
}
