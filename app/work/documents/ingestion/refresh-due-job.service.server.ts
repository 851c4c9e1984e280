import { HOUR } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { refreshDueType } from "../jobs/job-types.server";
import { planRefreshes } from "../jobs/plan.server";
import { queueDueRefreshes } from "./schedule.server";

export const refreshDueJob = defineJob({
  ...refreshDueType,
  title: "Queue documents whose refresh is due",
  concurrency: 1,
  timeoutMs: HOUR,
  keepMs: HOUR,
  // A fallback: each refresh is queued individually.
  schedule: { everyMs: HOUR, atStart: true, input: {} },
  async run({ signal }) {
    while (!signal.aborted && (await queueDueRefreshes()) > 0);
  },
  onChange(tx, _job, { state }) {
    if (state === "succeeded") planRefreshes(tx);
  },
});
