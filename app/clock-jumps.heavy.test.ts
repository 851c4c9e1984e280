import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readReadiness } from "~/console/monitoring/readiness.service.server";
import { setClock } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { DAY, HOUR, MINUTE } from "~/core/durations";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { defineJob, type JobContext } from "~/platform/jobs/job-kind.service.server";
import { openTestDatabase } from "../tests/support/database";
import { jobKinds } from "./job-kinds.server";
import { wakeDispatcher } from "./platform/jobs/job-kind.service.server";
import { setSchedule } from "./platform/jobs/schedules.service.server";

const NOON = Date.UTC(2026, 5, 1, 12);

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
let at = NOON;
beforeEach(() => {
  at = NOON;
  setClock(() => at);
  test = openTestDatabase();
});
afterEach(async () => {
  await stop();
  setClock();
  test.close();
});

const fired: number[] = [];
const due = defineJob({
  kind: "test.due",
  title: "Due",
  input: z.object({}),
  lane: "interactive",
  timeoutMs: MINUTE,
  run: () => void fired.push(at),
});
const own = defineJob({
  ...due,
  kind: "test.own",
  title: "Own",
  input: z.object({}),
  schedule: { cron: "*/5 * * * *", input: {} },
});

function start(): void {
  fired.length = 0;
  stop = startJobs([due, own]);
}

const nextTimes = () =>
  rawDatabase().prepare("SELECT next_at FROM schedules ORDER BY key").pluck().all() as number[];
const isSettled = () =>
  rawDatabase().prepare("SELECT count(*) FROM jobs WHERE state <> 'succeeded'").pluck().get();

async function pass(ms: number): Promise<void> {
  at += ms;
  wakeDispatcher();
  await expect.poll(() => Math.min(...nextTimes()) > at && isSettled()).toBe(0);
}

describe.each([
  ["an hour", HOUR],
  ["two hours", 2 * HOUR],
  ["400 days", 400 * DAY],
])("a clock that is set back %s", (_, ahead) => {
  beforeEach(() => {
    transaction((tx) =>
      setSchedule(tx, due, {
        key: "every-minute",
        orgId: "org_test",
        cron: "* * * * *",
        timeZone: null,
        input: {},
      }),
    );
  });

  it.each(["while the console runs", "between two starts"])("keeps all schedules going, %s", async (when) => {
    start();
    await pass(ahead);
    for (let n = 0; n < 5; n++) await pass(MINUTE);
    if (when === "between two starts") {
      await stop();
      at -= ahead;
      start();
    } else at -= ahead;
    wakeDispatcher();
    await expect.poll(() => Math.max(...nextTimes()) - at).toBeLessThanOrEqual(5 * MINUTE);
    fired.length = 0;
    for (let n = 0; n < 5; n++) await pass(MINUTE);
    // Five minutes with a time each, and one time every five minutes.
    expect(fired).toHaveLength(6);
  });

  it("keeps the delay of a job", async () => {
    start();
    await pass(ahead);
    transaction((tx) => enqueue(tx, due, {}, { runAt: at + 30 * MINUTE }));
    at -= ahead;
    wakeDispatcher();
    const runAt = () =>
      rawDatabase().prepare("SELECT run_at FROM jobs WHERE state = 'scheduled'").pluck().get();
    await expect.poll(runAt).toBe(at + 30 * MINUTE);
  });

  it("keeps a schedule that is saved again going", () => {
    const save = () =>
      transaction((tx) =>
        setSchedule(tx, due, {
          key: "daily",
          orgId: "org_test",
          cron: "0 3 * * *",
          timeZone: null,
          input: {},
        }),
      );
    at += ahead + DAY;
    save();
    at -= ahead + DAY;
    save();
    expect(Math.max(...nextTimes()) - at).toBeLessThanOrEqual(DAY);
  });
});

it("isn't ready while a schedule is planned later than it can be", async () => {
  start();
  rawDatabase().prepare("UPDATE schedules SET next_at = next_at + ?").run(DAY);
  expect((await readReadiness()).checks.schedules).toBe("failed");
});

const TEXTS: Record<string, string> = {
  period: "2026-06-01",
  state: "succeeded",
  last_job: "{}",
  settings: "{}",
  sources: "[]",
};

/** A row in each table, with the time in each number. */
function fillTables(): void {
  const raw = rawDatabase();
  raw.pragma("foreign_keys = OFF");
  const tables = raw
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const columns = raw
      .prepare(`SELECT name, type FROM pragma_table_info('${table}') WHERE name <> 'rowid'`)
      .all() as {
      name: string;
      type: string;
    }[];
    const values = columns.map(({ name, type }) => (/int/i.test(type) ? at : (TEXTS[name] ?? "x")));
    try {
      raw
        .prepare(
          `INSERT INTO ${table} (${columns.map(({ name }) => name)}) VALUES (${columns.map(() => "?")})`,
        )
        .run(...values);
    } catch {
      // Tables of the search indexes, which have no ages.
    }
  }
}

const countRows = () =>
  Object.fromEntries(
    [
      "workflow_runs",
      "jobs",
      "sessions",
      "invitations",
      "notifications",
      "notification_deliveries",
      "schedule_fires",
      "attachments",
    ].map((table) => [table, rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get()]),
  );

async function deleteByAge(): Promise<void> {
  const kinds = jobKinds.filter(
    ({ title, lane }) => lane === "maintenance" && /^(Delete|Remove) /.test(title),
  );
  expect(kinds.length).toBeGreaterThan(6);
  const context = { input: {}, signal: new AbortController().signal } as JobContext<unknown>;
  for (const kind of kinds) await kind.run(context);
}

describe("a clock that is far ahead", () => {
  it("deletes nothing by age until it is confirmed by two days", async () => {
    fillTables();
    const before = countRows();
    expect(Object.values(before).every((count) => Number(count) > 0)).toBe(true);
    at += 400 * DAY;
    await deleteByAge();
    for (const [table, count] of Object.entries(countRows()))
      expect(Number(count), table).toBeGreaterThanOrEqual(Number(before[table]));
    rawDatabase().prepare("INSERT INTO schedule_fires VALUES ('now', ?, 'queued', NULL)").run(at);
    at += DAY;
    await deleteByAge();
    expect(countRows()).toMatchObject({ workflow_runs: 1, sessions: 1 });
    at += 2 * DAY;
    await deleteByAge();
    expect(countRows()).toMatchObject({ workflow_runs: 0, sessions: 0, notifications: 0 });
  });
});
