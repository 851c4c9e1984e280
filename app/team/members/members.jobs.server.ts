import { z } from "zod";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { sweepSessions } from "./session.service.server";

/** In ms. */
const INTERVAL = 10 * 60_000;

const sweepSessionsJob = defineJob({
  kind: "sessions.sweep",
  title: "Delete expired sessions and invitations",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: INTERVAL,
  keepMs: 60 * 60_000,
  schedule: { everyMs: INTERVAL, input: {} },
  run: () => void sweepSessions(),
});

export const memberJobs: readonly JobKind[] = [sweepSessionsJob];
