import { z } from "zod";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/retention.service.server";
import { deleteOldDeliveries } from "./deliveries.repo.server";
import { deleteExcessNotifications, deleteOldNotifications } from "./notifications.repo.server";

const NOTIFICATIONS_KEPT = 90 * DAY;
const MAX_PER_USER = 500;
const DELIVERIES_KEPT = 30 * DAY;
const BATCH = 500;

/** Keeps recent ones, up to a maximum per person. */
export function pruneNotifications(): void {
  while (transaction((tx) => deleteOldNotifications(tx, oldestKept(NOTIFICATIONS_KEPT), BATCH)) === BATCH);
  while (transaction((tx) => deleteOldDeliveries(tx, oldestKept(DELIVERIES_KEPT), BATCH)) === BATCH);
  transaction((tx) => deleteExcessNotifications(tx, MAX_PER_USER));
}

export const pruneNotificationsJob = defineJob({
  kind: "notifications.prune",
  title: "Delete old notifications",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: 60_000,
  schedule: { cron: "20 3 * * *", input: {} },
  run: () => pruneNotifications(),
});
