import { z } from "zod";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { pruneEvents } from "./answer/answers.server";

const EVERY = 10 * 60_000;

export const pruneEventsJob = defineJob({
  kind: "chat.prune-events",
  title: "Delete events of finished answers",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: EVERY,
  keepMs: 60 * 60_000,
  schedule: { everyMs: EVERY, input: {} },
  run: pruneEvents,
});
