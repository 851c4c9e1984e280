import { log } from "~/core/log.server";
import { finishDeletions } from "./categories.service.server";
import { failJob } from "./ingestion/failure.server";
import { startQueue } from "./ingestion/queue.server";
import { runJob } from "./ingestion/run-job.server";
import {
  forgetOldJobs,
  queueDueRefreshes,
  queuePurges,
  sweepBrokenUploads,
} from "./ingestion/schedule.server";
import { ingestSteps } from "./ingestion/steps.server";
import { stopChecks } from "./retrieval-check.service.server";

/** Between two looks at what is due, in milliseconds. */
const LOOK_EVERY = 5000;
const SWEEP_EVERY = 60_000;

function safely(what: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    log.error(`${what} failed`, { error });
  }
}

/** One look at a time, each of them beside the event loop's other work. */
function lookAfterSchedules(): { look: () => void; settled: () => Promise<void> | undefined } {
  let looking: Promise<void> | undefined;
  const once = async () => {
    try {
      await queueDueRefreshes();
    } catch (error) {
      log.error("queueing what is due failed", { error });
    } finally {
      looking = undefined;
    }
  };
  const look = () => {
    looking ??= once();
  };
  return { look, settled: () => looking };
}

function sweep(): void {
  finishDeletions().catch((error: unknown) => log.error("emptying deleted categories failed", { error }));
  safely("queueing the removal of deleted documents", queuePurges);
  safely("forgetting old ingestion jobs", forgetOldJobs);
}

/** Goes on with what was taken on, and begins what is due by itself. @returns the way to stop */
export function startKnowledge(): () => Promise<void> {
  const broken = sweepBrokenUploads();
  if (broken > 0) log.warn("uploads were broken off by the last stop", { count: broken });
  const stopQueue = startQueue({ run: (job, context) => runJob(job, ingestSteps, context), fail: failJob });
  const schedules = lookAfterSchedules();
  schedules.look();
  sweep();
  const timers = [setInterval(schedules.look, LOOK_EVERY), setInterval(sweep, SWEEP_EVERY)];
  for (const timer of timers) timer.unref();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all([stopQueue(), stopChecks(), schedules.settled()]);
  };
}
