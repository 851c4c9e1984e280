import { z } from "zod";
import { yieldToEventLoop } from "~/core/background.server";
import { HOUR, MINUTE } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { removeOldConversations } from "./widgets.service.server";

export const widgetJobs: readonly JobKind[] = [
  defineJob({
    kind: "widgets.retention",
    title: "Delete old conversations of widgets",
    input: z.object({}),
    lane: "maintenance",
    timeoutMs: HOUR,
    keepMs: HOUR,
    schedule: { everyMs: 10 * MINUTE, input: {} },
    async run({ signal }) {
      while (!signal.aborted && removeOldConversations() > 0) await yieldToEventLoop();
    },
  }),
];
