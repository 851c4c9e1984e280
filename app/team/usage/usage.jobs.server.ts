import { z } from "zod";
import { DAY } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { moveToTimeZone, sumOldUsage } from "./sum-usage.server";

export const sumUsageJob = defineJob({
  kind: "usage.sum-old",
  title: "Add up usage by day",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: DAY,
  schedule: { everyMs: DAY, atStart: true, input: {} },
  async run({ signal }) {
    await sumOldUsage(signal);
    await moveToTimeZone(signal);
  },
});

export const usageJobs: readonly JobKind[] = [sumUsageJob];
