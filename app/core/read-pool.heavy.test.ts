import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { transaction } from "./db.server";
import type { ReadQuery } from "./read.thread";
import { readInProcess, readInThread } from "./read-pool.server";
import { closeWorkerPools } from "./worker-pool.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  vi.useRealTimers();
  test.close();
});
afterAll(closeWorkerPools);

const roles = {
  sql: "SELECT id, role FROM users WHERE role = ? OR role = ? ORDER BY id",
  params: ["admin", "owner"],
};

it("returns each query's rows with their columns in order", async () => {
  const [found, none] = await readInThread("screen", [roles, { ...roles, params: ["nobody", "none"] }]);
  expect(found).toEqual([
    ["usr_admin", "admin"],
    ["usr_owner", "owner"],
  ]);
  expect(none).toEqual([]);
});

it("sees earlier commits", async () => {
  transaction((tx) => tx.run("UPDATE users SET role = 'admin' WHERE id = 'usr_member'"));
  const [found] = await readInThread("screen", [roles]);
  expect(found?.map(([id]) => id)).toEqual(["usr_admin", "usr_member", "usr_owner"]);
});

it("runs no further queries after maxRows", async () => {
  const broken = { sql: "SELECT * FROM nowhere", params: [] };
  expect(await readInThread("screen", [roles, broken], { maxRows: 2 })).toEqual([expect.any(Array), []]);
  await expect(readInThread("screen", [roles, broken], { maxRows: 3 })).rejects.toMatchObject({
    code: "internal",
  });
});

it.each([
  ["thread", (queries: ReadQuery[]) => readInThread("screen", queries)],
  ["process", readInProcess],
])("changes nothing in a %s", async (_, read) => {
  const change = { sql: "DELETE FROM users RETURNING id", params: [] };
  await expect(read([change])).rejects.toMatchObject({ code: "internal" });
  expect((await readInThread("screen", [roles]))[0]).toHaveLength(2);
});

it("kills an endless statement while other reads continue", async () => {
  const endless = {
    sql: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    params: [],
  };
  expect((await readInProcess([roles]))[0]).toHaveLength(2);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = expect(readInProcess([endless])).rejects.toMatchObject({
    code: "unavailable",
    message: "The search took longer than 10 seconds and was stopped. Narrow it down and try again.",
  });
  expect((await readInThread("screen", [roles]))[0]).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(10_000);
  await answer;
  expect((await readInProcess([roles]))[0]).toHaveLength(2);
});

it("runs screen and long reads independently", async () => {
  const long = {
    sql: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n",
    params: [],
  };
  await Promise.all([readInThread("screen", [roles]), readInThread("long", [roles])]);
  const ended: string[] = [];
  const read = async (name: string, work: Promise<unknown>) => {
    await work;
    ended.push(name);
  };
  await Promise.all([
    read("long", readInThread("long", [long])),
    read("queued behind it", readInThread("long", [roles])),
    read("screen", readInThread("screen", [roles])),
  ]);
  expect(ended).toEqual(["screen", "long", "queued behind it"]);
});
