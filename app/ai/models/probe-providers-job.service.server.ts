import { z } from "zod";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { probeProviders } from "./health.service.server";
import { reportIncidents } from "./provider-incidents.server";

const INTERVAL = 60_000;

export const probeProvidersJob = defineJob({
  kind: "providers.probe",
  title: "Check the health of idle providers",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: INTERVAL,
  keepMs: 10 * 60_000,
  schedule: { everyMs: INTERVAL, atStart: true, input: {} },
  async run() {
    await probeProviders();
    reportIncidents();
  },
});
