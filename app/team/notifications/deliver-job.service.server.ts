import { now } from "~/core/clock.server";
import { MINUTE, SECOND } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { deliverNotification } from "./deliver-job-type.server";
import { updateDelivery } from "./deliveries.repo.server";
import { deliver } from "./delivery.service.server";

export const deliverJob = defineJob({
  ...deliverNotification,
  title: "Send notifications",
  concurrency: 2,
  timeoutMs: MINUTE,
  // About an hour.
  retry: {
    attempts: 10,
    backoffMs: [15 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE],
  },
  keepMs: 60 * MINUTE,
  run: ({ input, signal }) => deliver(input.deliveryId, signal),
  onChange(tx, { input: { deliveryId } }, change) {
    const ended = { finishedAt: now() };
    if (change.state === "queued" && change.error !== null)
      updateDelivery(tx, deliveryId, { error: change.error });
    if (change.state === "failed")
      updateDelivery(tx, deliveryId, { state: "failed", error: change.error, ...ended });
    if (change.state === "cancelled")
      updateDelivery(tx, deliveryId, { state: "skipped", error: "It was canceled.", ...ended });
  },
});
