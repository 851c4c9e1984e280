import { z } from "zod";
import { defineJob } from "../jobs/job-kind.service.server";
import { queueDueRefreshes } from "./ingestion/schedule.server";

/** How late a refresh may begin, in ms. The shortest interval of a document is an hour. */
const EVERY = 60_000;

export const refreshDueJob = defineJob({
  kind: "documents.refresh-due",
  title: "Queue documents whose refresh is due",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 10 * 60_000,
  keepMs: 10 * 60_000,
  schedule: { everyMs: EVERY, atStart: true, input: {} },
  run: async () => void (await queueDueRefreshes()),
});
