import { afterEach, beforeEach, expect, it } from "vitest";
import { log } from "~/core/log.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { clearErrors, listErrors, startErrorReports } from "./errors.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => void;
beforeEach(() => {
  test = openTestDatabase();
  stop = startErrorReports();
});
afterEach(() => {
  stop();
  test.close();
});

const reported = () => listErrors(test.actors.admin);
const failing = (message: string) => new Error(message);

it("stores logged errors and counts repeats", async () => {
  for (const requestId of ["req_1", "req_2"])
    log.error("unexpected error", { error: failing("the disk is away"), requestId });
  log.error("the job queue could not be read");
  await expect.poll(() => reported()).toHaveLength(2);
  expect(reported()).toContainEqual(
    expect.objectContaining({
      message: "unexpected error",
      detail: "the disk is away",
      stack: expect.stringContaining("errors.service.test.ts"),
      requestId: "req_2",
      count: 2,
    }),
  );
  const { notifications } = pageNotifications(test.actors.admin, NotificationQuery.parse({}));
  expect(notifications.map(({ title }) => title).sort()).toEqual([
    "Unexpected error: the job queue could not be read",
    "Unexpected error: unexpected error",
  ]);
});

it("stores nothing while error reporting is off", async () => {
  updateSettings(test.actors.admin, "monitoring", { errorReporting: false });
  log.error("unseen");
  updateSettings(test.actors.admin, "monitoring", { errorReporting: true });
  log.error("seen");
  await expect.poll(() => reported().map(({ message }) => message)).toEqual(["seen"]);
});

it("lets only admins clear the reports", async () => {
  log.error("once");
  await expect.poll(() => reported()).toHaveLength(1);
  expect(() => clearErrors(test.actors.member)).toThrow();
  clearErrors(test.actors.admin);
  expect(reported()).toEqual([]);
  expect(listAudit(test.actors.admin, { limit: 9 }).entries).toMatchObject([
    { action: "errors.cleared", resource: "system:errors", userId: "usr_admin" },
  ]);
});
