import { z } from "zod";
import { DAY, MINUTE } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { refreshDiscovered } from "./discovery.service.server";
import { probeProviders, reportIncidents } from "./health.service.server";

const probeProvidersJob = defineJob({
  kind: "providers.probe",
  title: "Check the health of idle providers",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: MINUTE,
  keepMs: 10 * MINUTE,
  schedule: { everyMs: MINUTE, atStart: true, input: {} },
  async run() {
    await probeProviders();
    reportIncidents();
  },
});

const refreshHubsJob = defineJob({
  kind: "models.refresh-hubs",
  title: "Refresh the lists of model hubs",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 5 * MINUTE,
  schedule: { everyMs: DAY, input: {} },
  run: refreshDiscovered,
});

export const modelJobs: readonly JobKind[] = [probeProvidersJob, refreshHubsJob];
