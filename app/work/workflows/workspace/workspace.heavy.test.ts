import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../tests/support/database";
import type { Json } from "../steps/step-type";
import { prepareWorkspace, queryWorkspace, workspaceFile } from "./query-workspace.server";

let test: ReturnType<typeof openTestDatabase>;
const never = new AbortController().signal;

beforeAll(() => {
  test = openTestDatabase();
});
afterAll(async () => {
  await closeWorkerPools();
  test.close();
});

const read = (sql: string, parameters: Json[] = [], maxRows = 100) =>
  queryWorkspace({ sql, parameters, write: false, maxRows }, never);
const write = (sql: string, parameters: Json[] = [], maxFileBytes?: number) =>
  queryWorkspace({ sql, parameters, write: true, maxRows: 100 }, never, maxFileBytes);

describe("the workspace database", () => {
  it("is made before its first statement where a replica would ask for it", async () => {
    prepareWorkspace();
    expect(existsSync(workspaceFile())).toBe(false);
    setEnv({ NODE_ENV: "test", DATA_DIR: test.folder, LITESTREAM_URL: "s3://bucket/one" });
    prepareWorkspace();
    expect(statSync(workspaceFile()).size).toBeGreaterThan(0);
    expect(await read("SELECT 1 AS one")).toMatchObject({ rows: [{ one: 1 }] });
  });

  it("stores written rows, with parameters bound by type", async () => {
    await write("CREATE TABLE notes (id INTEGER PRIMARY KEY, text, done, more)");
    const sql = "INSERT INTO notes (text, done, more) VALUES ($1, $2, $3)";
    expect(await write(sql, ["'); DROP TABLE notes --", true, { a: [1] }])).toEqual({
      rows: [],
      rowCount: 1,
      truncated: false,
    });
    expect(await read("SELECT *, typeof(done) AS type FROM notes WHERE id = ?", [1])).toEqual({
      rows: [{ id: 1, text: "'); DROP TABLE notes --", done: 1, more: '{"a":[1]}', type: "integer" }],
      rowCount: 1,
      truncated: false,
    });
    expect(await write("UPDATE notes SET done = 0 RETURNING id")).toMatchObject({ rows: [{ id: 1 }] });
  });

  it("returns large numbers as text and bytes as base64", async () => {
    expect(
      await read("SELECT 9007199254740993 AS big, x'00ff' AS bytes, 1.5 AS real, NULL AS none"),
    ).toMatchObject({
      rows: [{ big: "9007199254740993", bytes: "AP8=", real: 1.5, none: null }],
    });
  });

  it("returns no more rows than requested", async () => {
    const numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n";
    expect(await read(numbers, [], 3)).toEqual({
      rows: [{ i: 1 }, { i: 2 }, { i: 3 }],
      rowCount: 3,
      truncated: true,
    });
  });

  it.each([
    ["SELECT 1; DROP TABLE notes", "Write only one statement"],
    ["SELECT load_extension('evil.so')", "not authorized"],
    ["SELECT * FROM missing", "SQLite: no such table: missing"],
    ["SELEC 1", "SELEC isn't allowed here"],
    ["", "Begin the statement with a keyword"],
    ["SELECT $1", "The parameters don't match the statement"],
    ["WITH a AS (SELECT 1) DELETE FROM notes", "Turn on Write access"],
    ["EXPLAIN QUERY PLAN SELECT 1 FROM notes; SELECT 2", "Write only one statement"],
  ])("refuses to read %s", async (sql, message) => {
    await expect(read(sql)).rejects.toThrow(message);
  });

  it("opens no other file, even if changes are allowed", async () => {
    const secret = join(test.folder, "secret.db");
    new Database(secret).exec("CREATE TABLE s (v)").close();
    for (const sql of [
      `ATTACH '${secret}' AS other`,
      `/* a comment */ -- and another\n attach '${secret}' as other`,
      `VACUUM INTO '${join(test.folder, "copy.db")}'`,
      "PRAGMA query_only = OFF",
      "DETACH main",
      "BEGIN",
    ]) {
      await expect(write(sql)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("allowed"),
      });
    }
  });

  it("doesn't grow beyond its limit, and continues after", async () => {
    await write("CREATE TABLE bulk (b)");
    await expect(write("INSERT INTO bulk VALUES (zeroblob(2000000))", [], 1_000_000)).rejects.toMatchObject({
      code: "too_large",
    });
    expect(await read("SELECT count(*) AS n FROM bulk")).toMatchObject({ rows: [{ n: 0 }] });
  });

  it("refuses a result that is too large", async () => {
    await expect(read("SELECT hex(zeroblob(6000000)) AS h")).rejects.toMatchObject({ code: "too_large" });
  });

  it("stops a statement with its step", async () => {
    const stop = new AbortController();
    const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    const running = queryWorkspace({ sql: endless, parameters: [], write: false, maxRows: 1 }, stop.signal);
    const other = await read("SELECT 1 AS one");
    stop.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
    expect(other).toMatchObject({ rows: [{ one: 1 }] });
  });

  it("reports a damaged file", async () => {
    const folder = test.folder;
    await closeWorkerPools();
    expect(workspaceFile()).toBe(join(folder, "workspace.db"));
    writeFileSync(join(folder, "workspace.db"), "not a database".repeat(1000));
    await expect(read("SELECT 1")).rejects.toThrow("The workspace database is damaged.");
  });
});
