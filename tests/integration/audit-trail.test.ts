import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const head = () => join(server.dataDir, "audit.head");
const addPersona = async (name: string) => {
  const json = { name, systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
  expect((await server.ask("/api/personas", { as: "member", json })).status).toBe(201);
};
const onDatabase = (sql: string) => {
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  raw.exec(sql);
  raw.close();
};
/** Deletes entries from the trail's end, and sets the counter back with them. */
const cut = (count: number) =>
  onDatabase(`
    DELETE FROM audit_entries WHERE seq > (SELECT max(seq) - ${count} FROM audit_entries);
    UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM audit_entries) WHERE name = 'audit_entries';
  `);

/** Runs the program of `npm run audit:verify` or `audit:adopt` on a data folder. */
async function run(program: string, folder: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [resolve(`build/${program}.mjs`)], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", DATA_DIR: folder, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = await once(child, "close");
  return { code, output };
}

const verify = (folder = server.dataDir, env: Record<string, string> = {}) =>
  run("audit-verify", folder, env);

const health = async (as?: "member" | "admin") =>
  (await server.ask("/api/health", as ? { as } : {})).json() as Promise<object>;
const screen = async (as: "member" | "admin" | "owner", path = "/audit") =>
  (await server.ask(path, { as })).text();
const NOTICE = "The audit trail may be incomplete";
const ACCEPT = "Accept Current Trail";

describe("an intact trail", () => {
  it("is healthy, and verifies beside the running console", async () => {
    for (let count = 1; count <= 5; count++) await addPersona(`Persona ${count}`);
    expect(await health("admin")).toEqual({ status: "ok" });
    expect(await screen("owner")).not.toContain(NOTICE);
    const { code, output } = await verify();
    expect(output).toMatch(/^OK: 5 entries checked, the last from \d{4}-\d\d-\d\dT[\d:.]+Z\.\n$/);
    expect(code).toBe(0);
  });

  it("verifies when the console is stopped, and hinders no start", async () => {
    await server.stop();
    expect((await verify()).code).toBe(0);
    await server.start();
    expect(server.output).not.toContain("audit");
  });
});

describe("a trail whose end was cut off", () => {
  const MISSING = "The file audit.head is missing";

  it("with its head deleted is said at the start, at the health check and on the screens", async () => {
    await server.stop();
    cut(2);
    rmSync(head());
    const { code, output } = await verify();
    expect(output).toMatch(
      /^BROKEN at the end\. The file audit\.head is missing .*\nIntact: 3 entries, the last from .*Z\.\n$/,
    );
    expect(code).toBe(1);
    await server.start();
    expect(server.output).toContain(MISSING);
    expect(await health()).toEqual({ status: "degraded" });
    expect(await health("member")).toEqual({ status: "degraded" });
    expect(await health("admin")).toEqual({
      status: "degraded",
      problems: [{ code: "audit_head_missing", message: expect.stringContaining(MISSING) }],
    });
    const admins = await screen("admin");
    expect(admins).toContain(NOTICE);
    expect(admins).not.toContain(ACCEPT);
    expect(await screen("owner")).toContain(ACCEPT);
    expect(await screen("member")).not.toContain(NOTICE);
    expect(await screen("admin", "/settings/system")).toContain(MISSING);
  });

  it("is said again after a restart, whatever was added", async () => {
    await addPersona("Later");
    await server.restart();
    expect(server.output).toContain(MISSING);
    expect(existsSync(head())).toBe(false);
    expect((await verify()).code).toBe(1);
  });

  it("is accepted by an owner's press without JavaScript, and no one else's", async () => {
    const accept = (as: "admin" | "owner") => server.ask("/audit", { as, form: { intent: "accept" } });
    const open = await screen("owner", "/audit?search=gpt&dialog=accept");
    expect(open).toContain('name="intent" value="accept"');
    // Its dialog leads back to the search.
    expect(/<dialog[\s\S]*?<\/dialog>/.exec(open)?.[0].match(/<a [^>]*href="[^"]*"/g)).toEqual(
      Array(2).fill(expect.stringContaining('href="/audit?search=gpt"')),
    );
    expect((await accept("admin")).status).toBe(403);
    expect((await accept("owner")).status).toBe(303);
    expect(await health("admin")).toEqual({ status: "ok" });
    expect(await screen("owner")).not.toContain(NOTICE);
    expect(await screen("owner")).toContain("Accepted the audit trail as complete");
    expect(await verify()).toMatchObject({ code: 0, output: expect.stringMatching(/^OK: 5 entries/) });
    await server.restart();
    expect(server.output).not.toContain("audit");
  });

  it("with its head in place is said as well", async () => {
    await server.stop();
    cut(1);
    const { code, output } = await verify();
    expect(output).toMatch(/^BROKEN at the end\. The newest entry recorded .* entry 5\.\nIntact: 4 entries/);
    expect(code).toBe(1);
    await server.start();
    expect(server.output).toContain("The newest entry recorded in audit.head is missing");
    expect(await health("admin")).toMatchObject({ problems: [{ code: "audit_entries_missing" }] });
    expect((await server.ask("/audit", { as: "owner", form: { intent: "accept" } })).status).toBe(303);
    expect(await health()).toEqual({ status: "ok" });
  });
});

describe("the check as a command", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-verify-"));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it("names the first altered entry with its time", async () => {
    onDatabase("UPDATE audit_entries SET user_id = 'usr_else' WHERE seq = 2");
    const { code, output } = await verify();
    expect(output).toMatch(
      /^BROKEN at entry 2: it was altered or removed \(the entry found there is from \S+Z\)\.\nIntact: 1 entry, the last from \S+Z\.\n$/,
    );
    expect(code).toBe(1);
  });

  it.each([
    ["no database", () => undefined, /There is no database at /],
    [
      "no key",
      () => {
        const copy = new Database(join(server.dataDir, "quarterdeck.sqlite"));
        copy.exec(`VACUUM INTO '${join(folder, "quarterdeck.sqlite")}'`);
        copy.close();
      },
      /The key of the audit trail is missing/,
    ],
  ])("says that there is %s, and makes none", async (_, prepare, said) => {
    prepare();
    const { code, output } = await verify(folder);
    expect(output).toMatch(said);
    expect(code).toBe(1);
    expect(existsSync(join(folder, "audit.key"))).toBe(false);
  });

  it("is adopted with its restored end, and the entry says so; one that was altered isn't", async () => {
    const source = await startServer();
    for (const name of ["One", "Two", "Three"]) {
      const json = { name, systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
      expect((await source.ask("/api/personas", { as: "member", json })).status).toBe(201);
    }
    await source.stop();
    for (const name of ["audit.key", "audit.head", "quarterdeck.sqlite"])
      copyFileSync(join(source.dataDir, name), join(folder, name));
    await source.close();
    // The replica's last second is missing.
    const restored = new Database(join(folder, "quarterdeck.sqlite"));
    const last = restored.prepare<[], { seq: number }>("SELECT max(seq) AS seq FROM audit_entries").get();
    restored.exec(`
      DELETE FROM audit_entries WHERE seq = (SELECT max(seq) FROM audit_entries);
      UPDATE sqlite_sequence SET seq = (SELECT max(seq) FROM audit_entries) WHERE name = 'audit_entries'`);
    expect((await verify(folder)).code).toBe(1);
    expect(await run("audit-adopt", folder)).toMatchObject({
      code: 0,
      output: expect.stringContaining("is whole, with"),
    });
    expect(await verify(folder)).toMatchObject({ code: 0, output: expect.stringContaining("OK: ") });
    expect(
      restored.prepare("SELECT action, details FROM audit_entries ORDER BY seq DESC LIMIT 1").get(),
    ).toEqual({
      action: "database.restored",
      details: JSON.stringify({ entries: (last?.seq ?? 0) - 1, head: last?.seq }),
    });
    restored.exec("UPDATE audit_entries SET details = '{}' WHERE seq = 2");
    restored.close();
    const { code, output } = await run("audit-adopt", folder);
    expect([code, output]).toEqual([1, expect.stringMatching(/^Entry 2 of the audit trail was changed/)]);
  });

  it("takes its key from the environment", async () => {
    renameSync(join(server.dataDir, "audit.key"), join(server.dataDir, "elsewhere.key"));
    const { output } = await verify(server.dataDir, { AUDIT_KEY: "another key of at least 32 characters" });
    expect(output).toContain("BROKEN at entry 1");
  });
});
