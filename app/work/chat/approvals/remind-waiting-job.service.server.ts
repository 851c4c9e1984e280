import { transaction } from "~/core/db.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { remindWaiting, remindWaitingType } from "./notify-waiting.server";

export const remindWaitingJob = defineJob({
  ...remindWaitingType,
  title: "Send reminders of answers awaiting approval",
  timeoutMs: 60_000,
  keepMs: 60 * 60_000,
  run({ input, actor }) {
    const owner = actor();
    transaction((tx) => remindWaiting(tx, owner, input));
  },
});
