import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { type JobKind, reportChange } from "./job-kind.service.server";
import { type JobRow, listJobsInState, updateJob } from "./jobs.repo.server";
import { endJob } from "./run-job.server";

/** Crashes without a new checkpoint after which a job is failed. */
const MAX_CRASHES = 10;

/** Requeues interrupted jobs. @returns how many */
export function recoverJobs(kinds: ReadonlyMap<string, JobKind>): number {
  const interrupted = listJobsInState(db(), "running");
  for (const job of interrupted) {
    try {
      transaction((tx) => recoverJob(tx, job, kinds.get(job.kind)));
    } catch (error) {
      log.error("failed to requeue an interrupted job", { job: job.id, error });
    }
  }
  return interrupted.length;
}

function recoverJob(tx: Db, job: JobRow, kind: JobKind | undefined): void {
  const crashes = job.crashes + 1;
  if (kind && crashes >= MAX_CRASHES) {
    const error = "The console stopped during each attempt.";
    endJob(tx, job, kind, { state: "failed", error, code: "unprocessable" });
    return;
  }
  updateJob(tx, job.id, ["running"], { state: "queued", crashes });
  const { attempts, error } = job;
  if (kind) reportChange(tx, kind, job, { state: "queued", attempts, runAt: now(), error });
}
