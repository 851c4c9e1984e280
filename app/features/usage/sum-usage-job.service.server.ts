import { z } from "zod";
import { defineJob } from "~/features/jobs/job-kind.service.server";
import { sumOldUsage } from "./sum-usage.server";

const DAY = 24 * 60 * 60_000;

export const sumUsageJob = defineJob({
  kind: "usage.sum-old",
  title: "Add up usage recorded by an older version",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: DAY,
  schedule: { everyMs: DAY, atStart: true, input: {} },
  async run({ signal }) {
    await sumOldUsage(signal);
  },
});
