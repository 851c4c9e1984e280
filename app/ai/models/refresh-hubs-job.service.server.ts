import { z } from "zod";
import { DAY } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { refreshDiscovered } from "./discovery.service.server";

export const refreshHubsJob = defineJob({
  kind: "models.refresh-hubs",
  title: "Refresh the lists of model hubs",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 5 * 60_000,
  schedule: { everyMs: DAY, input: {} },
  run: refreshDiscovered,
});
