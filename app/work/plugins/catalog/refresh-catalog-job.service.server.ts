import { z } from "zod";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { refreshCatalog } from "./refresh-catalog.service.server";

export const refreshCatalogJob = defineJob({
  kind: "plugins.refresh-catalog",
  title: "Read the plugin catalog",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 60_000,
  keepMs: 24 * 60 * 60_000,
  schedule: { everyMs: 6 * 60 * 60_000, atStart: true, input: {} },
  run: ({ signal }) => refreshCatalog(signal),
});
