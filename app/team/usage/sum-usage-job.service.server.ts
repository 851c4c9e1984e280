import { DAY } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { moveToTimeZone, sumOldUsage } from "./sum-usage.server";
import { sumUsage } from "./sum-usage-job-type";

export const sumUsageJob = defineJob({
  ...sumUsage,
  title: "Add up usage by day",
  concurrency: 1,
  timeoutMs: DAY,
  schedule: { everyMs: DAY, atStart: true, input: {} },
  async run({ signal }) {
    await sumOldUsage(signal);
    await moveToTimeZone(signal);
  },
});
