import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listFailingWork } from "~/core/background.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { readIndexed, readLastEntry } from "~/platform/audit/audit.repo.server";
import { append } from "~/platform/audit/audit.service.server";
import { replaceHead } from "~/platform/audit/audit-head.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startAuditEvents, startAuditIndex, watchAuditHead } from "./background.service.server";

// What follows an entry goes on after an error with any later commit, and the console's health shows it until then.

let test: ReturnType<typeof openTestDatabase>;
let stop: () => unknown;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  test = openTestDatabase();
});
afterEach(async () => {
  vi.useRealTimers();
  await stop();
  test.close();
});

const write = () =>
  transaction((tx) =>
    append(tx, test.actors.owner, { action: "settings.updated", resource: "settings:ai", details: {} }),
  );
const commit = () => transaction(() => undefined);
const newest = () => readLastEntry(db())?.seq;
/** What is failing once the time has come for what waits. */
async function failing(): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(2000);
  return listFailingWork();
}
const fails = (name: string) => expect.poll(failing).toEqual([name]);
const heals = () => expect.poll(failing).toEqual([]);

it("publishes entries again once the database has no error any more", async () => {
  stop = startAuditEvents();
  rawDatabase().exec("ALTER TABLE audit_entries RENAME TO hidden");
  commit();
  await fails("live audit entries");
  rawDatabase().exec("ALTER TABLE hidden RENAME TO audit_entries");
  write();
  await heals();
});

it("records the head once the disk takes it", async () => {
  await replaceHead();
  stop = await watchAuditHead();
  const file = join(test.folder, "audit.head");
  mkdirSync(`${file}.new`);
  write();
  await fails("the head of the audit trail");
  rmdirSync(`${file}.new`);
  commit();
  await heals();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ seq: newest() });
});

it("indexes entries once the database has their index again", async () => {
  write();
  rawDatabase().exec("ALTER TABLE audit_search RENAME TO hidden");
  stop = startAuditIndex();
  await fails("the search index of the audit trail");
  rawDatabase().exec("ALTER TABLE hidden RENAME TO audit_search");
  commit();
  await heals();
  expect(readIndexed(db())).toBe(newest());
});
