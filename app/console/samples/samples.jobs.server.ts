import { MINUTE, SECOND } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";

import { runSamples, runSampleWorkflows } from "./samples.service.server";

const runSamplesJob = defineJob({
  ...runSamples,
  title: "Run the sample workflows",
  timeoutMs: MINUTE,
  retry: { attempts: 3, backoffMs: [5 * SECOND] },
  run: ({ actor, input }) => runSampleWorkflows(actor(), input.addedAt),
});

export const sampleJobs: readonly JobKind[] = [runSamplesJob];
