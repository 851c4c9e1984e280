import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { findPostgres, startPostgres, type TestPostgres } from "../../../../tests/support/postgres";
import type { Json } from "../steps/step-type";
import { queryPostgres } from "./query-postgres.service.server";

const never = new AbortController().signal;
const bin = findPostgres();

beforeAll(() => setEnv({ LOG_LEVEL: "silent", DATABASE_ALLOW_SUPERUSER: "1" }));
afterAll(() => setEnv(undefined));

interface Options {
  parameters?: Json[];
  maxRows?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

const run = (address: string, sql: string, write: boolean, options: Options = {}) => {
  const { parameters = [], maxRows = 100, timeoutMs = 10_000, signal = never } = options;
  return queryPostgres(address, { sql, parameters, write, maxRows }, { signal, timeoutMs });
};

describe("a connection string", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  it.each([
    ["not an address", "is invalid"],
    ["https://example.com", "must begin with postgres://"],
    ["postgres://a:b%zz@db.example/x", "is invalid"],
    ["postgres://db.example/x?sslmode=prefer", "sslmode must be"],
  ])("is refused: %s", async (address, message) => {
    await expect(run(address, "SELECT 1", false)).rejects.toMatchObject({
      code: "provider_key",
      message: expect.stringContaining(message),
    });
  });

  it("can't reach a cloud metadata address", async () => {
    await expect(run("postgres://a:b@169.254.169.254/x", "SELECT 1", false)).rejects.toMatchObject({
      code: "egress_refused",
    });
  });

  it("requires TLS unless it turns it off", async () => {
    server = createServer((socket) => void socket.on("data", () => socket.write("N")));
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await expect(run(`postgres://a:hunter2@127.0.0.1:${port}/x`, "SELECT 1", false)).rejects.toThrow(
      "doesn't support TLS",
    );
  });
});

// Debian's package: apt-get install postgresql
describe.skipIf(!bin)("PostgreSQL (skipped where none is installed)", () => {
  let postgres: TestPostgres;
  let address: string;
  beforeAll(async () => {
    postgres = await startPostgres(bin ?? "");
    const password = new URL(postgres.address("postgres")).password;
    const set = (sql: string) => run(postgres.address("postgres"), sql, true);
    await set(`CREATE ROLE console LOGIN PASSWORD '${decodeURIComponent(password)}'`);
    await set(
      "CREATE TABLE items (id serial PRIMARY KEY, name text, amount numeric(8,2), more jsonb, at timestamptz)",
    );
    await set("GRANT ALL ON items, items_id_seq TO console");
    address = postgres.address("console");
  }, 60_000);
  afterAll(() => postgres?.close());

  const read = (sql: string, options?: Options) => run(address, sql, false, options);
  const write = (sql: string, options?: Options) => run(address, sql, true, options);

  it("stores written rows and returns them as JSON", async () => {
    const sql = "INSERT INTO items (name, amount, more, at) VALUES ($1, $2, $3, $4) RETURNING id";
    const parameters = ["'); DROP TABLE items --", 12.5, { a: [1] }, "2026-05-01T10:00:00Z"];
    expect(await write(sql, { parameters })).toEqual({ rows: [{ id: 1 }], rowCount: 1, truncated: false });
    expect(
      await read("SELECT *, count(*) OVER () AS n, at > now() AS due FROM items WHERE id = $1", {
        parameters: [1],
      }),
    ).toEqual({
      rows: [
        {
          id: 1,
          name: "'); DROP TABLE items --",
          amount: 12.5,
          more: { a: [1] },
          at: expect.stringContaining("2026-05-01"),
          n: 1,
          due: expect.any(Boolean),
        },
      ],
      rowCount: 1,
      truncated: false,
    });
  });

  it("fetches no more rows than requested", async () => {
    expect(
      await read("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", {
        maxRows: 2,
      }),
    ).toEqual({
      rows: [{ i: 1 }, { i: 2 }],
      rowCount: 2,
      truncated: true,
    });
  });

  it.each([
    "SELECT 1; DROP TABLE items",
    "DROP TABLE items",
    "COPY items TO PROGRAM 'true'",
    "SET statement_timeout = 0",
    "DO $$ BEGIN END $$",
    "SELECT 1 INTO other",
    "WITH gone AS (DELETE FROM items RETURNING 1) SELECT 1",
    "SELECT set_config('transaction_read_only', 'off', true)",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT * FROM missing",
  ])("refuses to read by %s", async (sql) => {
    await expect(read(sql)).rejects.toMatchObject({ code: "invalid" });
  });

  it("runs only a single statement when writing", async () => {
    await expect(write("DELETE FROM items; DELETE FROM items")).rejects.toThrow("multiple commands");
    expect(await read("SELECT count(*) AS n FROM items")).toMatchObject({ rows: [{ n: 1 }] });
  });

  it("ends a statement that takes too long, returns too much or whose step has ended", async () => {
    await expect(read("SELECT pg_sleep(60)", { timeoutMs: 100 })).rejects.toMatchObject({
      code: "provider_timeout",
    });
    await expect(read("SELECT repeat('x', 20000000)")).rejects.toMatchObject({ code: "too_large" });
    const stop = new AbortController();
    const running = read("SELECT pg_sleep(60)", { signal: stop.signal });
    setImmediate(() => stop.abort(new Error("stopped")));
    await expect(running).rejects.toThrow("stopped");
  });

  it("reports a rejected sign-in without the password", async () => {
    const wrong = address.replace(/:[^:@]+@/, ":hunter2@");
    const error = await run(wrong, "SELECT 1", false).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "provider_key" });
    expect(String(error)).not.toContain("hunter2");
  });

  it("refuses a superuser, who can read the server's files, unless the operator insists", async () => {
    setEnv({ LOG_LEVEL: "silent" });
    const asSuperuser = () => run(postgres.address("postgres"), "SELECT 1 AS n", false);
    await expect(asSuperuser()).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("superuser"),
    });
    setEnv({ LOG_LEVEL: "silent", DATABASE_ALLOW_SUPERUSER: "1" });
    expect(await asSuperuser()).toMatchObject({ rows: [{ n: 1 }] });
  });
});
