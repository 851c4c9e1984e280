import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { setEnv } from "~/core/env.server";
import { addKey } from "~/team/keys/keys.service.server";
import { queryPostgres } from "~/work/workflows/services/query-postgres.service.server";
import { openTestDatabase } from "../../../../../tests/support/database";
import { findPostgres, startPostgres, type TestPostgres } from "../../../../../tests/support/postgres";
import { configurePlugin, installPlugin } from "../../install.service.server";
import { startPlugins } from "../../plugin-tools.service.server";
import { listInstalled } from "../../plugins.service.server";

const ALIAS = "QUARTERDECK_KEY_EXPLORED";
const bin = findPostgres();

// Debian's package: apt-get install postgresql
describe.skipIf(!bin)("PostgreSQL Explorer (skipped where none is installed)", () => {
  let postgres: TestPostgres;
  let test: ReturnType<typeof openTestDatabase>;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    postgres = await startPostgres(bin ?? "");
    test = openTestDatabase();
    stop = startPlugins();
    setEnv({ DATABASE_ALLOW_SUPERUSER: "1" });
    process.env[ALIAS] = postgres.address("postgres");
    const bounds = { signal: AbortSignal.timeout(10_000), timeoutMs: 5000 };
    for (const sql of [
      "CREATE TABLE ports (id serial PRIMARY KEY, name text NOT NULL)",
      "CREATE TABLE ships (id serial PRIMARY KEY, tons numeric DEFAULT 1, port integer REFERENCES ports (id))",
      "COMMENT ON TABLE ships IS 'What floats'",
      "INSERT INTO ports (name) VALUES ('Trieste'), ('Hull')",
    ])
      await queryPostgres(
        postgres.address("postgres"),
        { sql, parameters: [], write: true, maxRows: 1 },
        bounds,
      );
    const { admin } = test.actors;
    const key = addKey(admin, { provider: "database", alias: ALIAS });
    installPlugin(admin, "postgres-explorer");
    expect(listInstalled(admin)[0]?.problem).toContain("needs a setting: Database");
    configurePlugin(admin, "postgres-explorer", { settings: { database: key.id } });
  }, 60_000);
  afterAll(async () => {
    delete process.env[ALIAS];
    await stop();
    test.close();
    await postgres.close();
  });

  const call = (tool: string, input: unknown) =>
    callTool(test.actors.member, `postgres-explorer.${tool}`, input, {
      source: { kind: "chat", conversationId: "con_1", messageId: "msg_1" },
      signal: new AbortController().signal,
      approval: "given",
    });

  it("lists schemas, tables and columns", async () => {
    expect(await call("schemas", {})).toMatchObject({ output: { rows: [{ schema: "public", tables: 2 }] } });
    expect(await call("tables", {})).toMatchObject({
      output: {
        rows: [
          { name: "ports", kind: "table" },
          { name: "ships", kind: "table", comment: "What floats" },
        ],
      },
    });
    const { output } = (await call("columns", { table: "ships" })) as { output: { rows: unknown[] } };
    expect(output.rows).toEqual([
      expect.objectContaining({ name: "id", type: "integer", nullable: false, primaryKey: true }),
      expect.objectContaining({ name: "tons", type: "numeric", nullable: true, default: "1" }),
      expect.objectContaining({ name: "port", references: "ports(id)" }),
    ]);
    expect(await call("columns", { table: "nothing" })).toMatchObject({ ok: false, code: "not_found" });
  });

  it("reads with parameters and rejects changes", async () => {
    const sql = "SELECT name FROM ports WHERE id = $1";
    expect(await call("query", { sql, parameters: [2] })).toMatchObject({
      output: { rows: [{ name: "Hull" }], truncated: false },
    });
    expect(await call("query", { sql: "delete FROM ports" })).toEqual({
      ok: false,
      code: "invalid",
      error: "DELETE changes data. This plugin only reads.",
      hasRun: true,
    });
    expect(await call("query", { sql: "SELECT nextval('ports_id_seq')" })).toEqual({
      ok: false,
      code: "invalid",
      error: "This statement changes data. A plugin only reads.",
      hasRun: true,
    });
    expect(await call("query", { sql: "SELECT 1; DROP TABLE ports" })).toMatchObject({
      ok: false,
      code: "invalid",
    });
    expect(await call("query", { sql: "TABLE ports", maxRows: 1 })).toMatchObject({
      output: { rowCount: 1, truncated: true },
    });
  });
});
