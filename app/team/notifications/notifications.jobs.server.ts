import { z } from "zod";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { DAY, MINUTE, SECOND } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { deliver } from "./delivery.service.server";
import {
  deleteExcessNotifications,
  deleteOldDeliveries,
  deleteOldNotifications,
  updateDelivery,
} from "./notifications.repo.server";
import { notificationDelivery } from "./notify.service.server";

const deliverJob = defineJob({
  ...notificationDelivery,
  title: "Send notifications",
  concurrency: 2,
  timeoutMs: MINUTE,
  // The attempts span about an hour.
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

const NOTIFICATIONS_KEPT = 90 * DAY;
const MAX_PER_USER = 500;
const DELIVERIES_KEPT = 30 * DAY;
const BATCH = 500;

export function pruneNotifications(): void {
  while (transaction((tx) => deleteOldNotifications(tx, oldestKept(NOTIFICATIONS_KEPT), BATCH)) === BATCH);
  while (transaction((tx) => deleteOldDeliveries(tx, oldestKept(DELIVERIES_KEPT), BATCH)) === BATCH);
  transaction((tx) => deleteExcessNotifications(tx, MAX_PER_USER));
}

const pruneNotificationsJob = defineJob({
  kind: "notifications.prune",
  title: "Delete old notifications",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: MINUTE,
  schedule: { cron: "20 3 * * *", input: {} },
  run: () => pruneNotifications(),
});

export const notificationJobs: readonly JobKind[] = [deliverJob, pruneNotificationsJob];
