import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import { pageNotifications } from "~/team/notifications/notifications.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { reportIncidents } from "./health.service.server";
import { insertProviderRow } from "./models.repo.server";
import { healthOf } from "./router/health.server";

let test: ReturnType<typeof openTestDatabase>;
let time: number;
beforeEach(() => {
  test = openTestDatabase();
  time = Date.parse("2027-03-01T12:00:00Z");
  setClock(() => time);
  transaction((tx) =>
    insertProviderRow(tx, {
      id: "prv_outage",
      orgId: test.actors.admin.orgId,
      type: "custom",
      displayName: "Lab",
      enabled: true,
      config: { baseUrl: "https://lab.example/v1" },
      models: [],
      modelsAt: null,
      priority: 0,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
});
afterEach(() => {
  setClock();
  test.close();
});

const check = () => {
  time += 60_000;
  reportIncidents();
  const { notifications } = pageNotifications(test.actors.admin, NotificationQuery.parse({}));
  return notifications.map(({ title, body }) => `${title}: ${body}`);
};

it("is reported after two failed checks, once, and when it is over", () => {
  const health = healthOf("prv_outage");
  expect(check()).toEqual([]);
  health.failProbe("Lab refused the connection.");
  expect(check()).toEqual([]);
  const down = "Lab is down: Lab refused the connection.";
  expect(check()).toEqual([down]);
  expect(check()).toEqual([down]);
  time += 60_000;
  health.succeedProbe(20);
  expect(check()).toEqual(["Lab recovered: It was down for 3 min.", down]);
  expect(check()).toHaveLength(2);
});
