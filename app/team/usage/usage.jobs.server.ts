import { DAY } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { moveToTimeZone, sumOldUsage, usageSums } from "./usage.service.server";

const sumUsageJob = defineJob({
  ...usageSums,
  title: "Add up usage by day",
  concurrency: 1,
  timeoutMs: DAY,
  schedule: { everyMs: DAY, atStart: true, input: {} },
  async run({ signal }) {
    await sumOldUsage(signal);
    await moveToTimeZone(signal);
  },
});

export const usageJobs: readonly JobKind[] = [sumUsageJob];
