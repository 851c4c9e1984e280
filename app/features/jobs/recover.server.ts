import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { type JobKind, reportChange } from "./job-kind.service.server";
import { listJobsInState, updateJob } from "./jobs.repo.server";
import { endJob } from "./run-job.server";

/** A job that was running at so many crashes without a new checkpoint is what makes the process crash. */
const MOST_CRASHES = 5;

/** Queues again what was running when the process ended. @returns how many jobs */
export function recoverJobs(kinds: ReadonlyMap<string, JobKind>): number {
  const cutOff = listJobsInState(db(), "running");
  transaction((tx) => {
    for (const job of cutOff) {
      const crashes = job.crashes + 1;
      const kind = kinds.get(job.kind);
      if (kind && crashes >= MOST_CRASHES) {
        const error = "The console stopped each time it worked on this.";
        endJob(tx, job, kind, { state: "failed", error, code: "unprocessable" });
        continue;
      }
      updateJob(tx, job.id, ["running"], { state: "queued", crashes });
      const { attempts, error } = job;
      if (kind) reportChange(tx, kind, job, { state: "queued", attempts, runAt: now(), error });
    }
  });
  return cutOff.length;
}
