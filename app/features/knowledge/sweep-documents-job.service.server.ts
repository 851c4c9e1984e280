import { z } from "zod";
import { defineJob } from "../jobs/job-kind.service.server";
import { finishDeletions } from "./categories.service.server";
import { forgetOldJobs, queuePurges } from "./ingestion/schedule.server";

const EVERY = 60_000;

export const sweepDocumentsJob = defineJob({
  kind: "documents.sweep",
  title: "Remove deleted documents and categories",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 10 * 60_000,
  keepMs: 10 * 60_000,
  schedule: { everyMs: EVERY, atStart: true, input: {} },
  async run() {
    queuePurges();
    forgetOldJobs();
    await finishDeletions();
  },
});
