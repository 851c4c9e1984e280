import { z } from "zod";
import { yieldToEventLoop } from "~/core/background.server";
import { HOUR } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { deleteExpiredComparisons, hasExpiredComparisons } from "./comparisons.service.server";

export const comparisonJobs: readonly JobKind[] = [
  defineJob({
    kind: "comparisons.retention",
    title: "Delete comparisons past their retention",
    input: z.object({}),
    lane: "maintenance",
    timeoutMs: HOUR,
    freesSpace: hasExpiredComparisons,
    schedule: { cron: "20 3 * * *", input: {} },
    async run({ signal }) {
      while (!signal.aborted && deleteExpiredComparisons() > 0) await yieldToEventLoop();
    },
  }),
];
