import { afterEach, beforeEach, expect, it } from "vitest";
import { listFailingWork } from "~/core/background.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { append } from "./audit.service.server";
import { startAuditEvents } from "./audit-live.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("outlives an error of the database, and publishes again once it is gone", async () => {
  const stop = startAuditEvents();
  const write = () =>
    transaction((tx) =>
      append(tx, test.actors.owner, { action: "settings.updated", resource: "settings:ai", details: {} }),
    );
  rawDatabase().exec("ALTER TABLE audit_entries RENAME TO hidden");
  transaction(() => undefined);
  await expect.poll(listFailingWork).toEqual(["live audit entries"]);
  rawDatabase().exec("ALTER TABLE hidden RENAME TO audit_entries");
  write();
  await expect.poll(listFailingWork).toEqual([]);
  stop();
});
