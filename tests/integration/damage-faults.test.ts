import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  changeByte,
  copyOfBackup,
  cut,
  damagePages,
  damageTable,
  empty,
  garble,
  put,
  remove,
  replaceWithText,
  swapKind,
} from "../support/damage";
import { isWholeForm } from "../support/faults";
import { addPeople, people } from "../support/people";
import { TestServer } from "../support/server";

let template: string;
/** The folder as a clean stop and as a kill leave it. */
const folderAfter = (end: "stop" | "kill") => join(template, end);
let backup: string;
/** The owner's session of the template. */
let firstCookie: string;
let cookie: string;

const persona = { name: "Kept", systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
const cookieOf = (server: TestServer) => ({ cookie, origin: server.baseUrl });

async function post(server: TestServer, path: string, json: object): Promise<number> {
  const response = await server.ask(path, { headers: cookieOf(server), json });
  await response.body?.cancel();
  return response.status;
}

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), "quarterdeck-damage-"));
  const dataDir = join(template, "kill");
  const server = new TestServer(dataDir, {}, await addPeople(dataDir));
  const workspace = new Database(join(dataDir, "workspace.db"));
  workspace.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept')");
  workspace.close();
  mkdirSync(join(dataDir, "attachments"), { recursive: true });
  await server.start();
  firstCookie = server.cookieOf("owner");
  cookie = firstCookie;
  expect(await post(server, "/api/personas", persona)).toBe(201);
  expect(await post(server, "/api/rag/ingest", { title: "One", text: "All about One." })).toBe(201);
  const conversation = await server.ask("/api/ai/chat", {
    as: "owner",
    json: { messages: [{ role: "user", content: "Hello" }], model: "quarterdeck-offline" },
  });
  await conversation.text();
  expect(await post(server, "/api/system/backups", {})).toBe(202);
  const folder = join(dataDir, "backups");
  backup = await vi.waitFor(
    () => {
      const name = readdirSync(folder).find((one) => one.endsWith(".tar.gz"));
      if (!name) throw new Error("There is no backup yet.");
      return name;
    },
    { timeout: 60_000 },
  );
  await server.kill();
  cpSync(folderAfter("kill"), folderAfter("stop"), { recursive: true });
  const stopped = new TestServer(folderAfter("stop"), {}, {});
  await stopped.start();
  await stopped.stop();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

let dataDir: string;
let server: TestServer | undefined;
afterEach(async () => {
  await server?.kill();
  server = undefined;
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
});

function damaged(damage: (dataDir: string) => void, end: "stop" | "kill" = "stop"): void {
  dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-damaged-"));
  cpSync(folderAfter(end), dataDir, { recursive: true });
  cookie = firstCookie;
  damage(dataDir);
}

const environment = () => ({
  NODE_ENV: "production" as const,
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: dataDir,
  LOG_LEVEL: "warn",
});

const run = (program: string, ...args: string[]) => runNode(`build/${program}.mjs`, ...args);

function runNode(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: environment(),
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  return { status, stdout, stderr };
}

function change(folder: string, sql: string): void {
  const raw = new Database(join(folder, "quarterdeck.sqlite"));
  // What a row refers to doesn't matter to its key.
  raw.pragma("foreign_keys = OFF");
  raw.exec(sql);
  raw.close();
}

async function startDamaged(): Promise<TestServer> {
  server = new TestServer(dataDir, {}, {});
  await server.start();
  return server;
}

async function healthOf(of: TestServer): Promise<{ status: string; codes: string[] }> {
  const response = await of.ask("/api/health", { headers: cookieOf(of) });
  const { status = "", problems = [] } = (await response.json()) as {
    status?: string;
    problems?: { code: string }[];
  };
  return { status, codes: problems.map(({ code }) => code) };
}

const outcomeFile = () => join(dataDir, "backups", "outcome.json");

/** Restores on the screen's call, and waits until the restored console responds. */
async function restoreOnScreen(of: TestServer): Promise<{ ok: boolean; message: string }> {
  rmSync(outcomeFile(), { force: true });
  expect(await post(of, `/api/system/backups/${backup}/restore`, {})).toBe(202);
  await expect.poll(() => existsSync(outcomeFile())).toBe(true);
  await expect.poll(() => of.ask("/healthz").then(({ status }) => status)).toBe(200);
  return JSON.parse(readFileSync(outcomeFile(), "utf8"));
}

/** The restored state serves, and its trail continues. */
async function expectRestored(of: TestServer): Promise<void> {
  cookie = await of.signIn(people.owner.email, people.owner.password);
  const personas = await of.ask("/api/personas", { headers: cookieOf(of) });
  expect(((await personas.json()) as { name: string }[]).map(({ name }) => name)).toEqual(["Kept"]);
  expect(await healthOf(of)).toEqual({ status: "ok", codes: [] });
  expect((await of.ask("/readyz")).status).toBe(200);
}

/** Where the files went that a restore replaced. */
const kept = () =>
  existsSync(join(dataDir, "replaced"))
    ? readdirSync(join(dataDir, "replaced")).flatMap((name) => readdirSync(join(dataDir, "replaced", name)))
    : [];

interface Case {
  damage: (dataDir: string) => void;
  end?: "stop" | "kill";
  /** Also in the short form. */
  isShort?: true;
}
type Row = [name: string, row: Case];
const chosen = (rows: Row[]) => (isWholeForm ? rows : rows.filter(([, { isShort }]) => isShort));

describe("a damage that SQLite mends or that a start rewrites", () => {
  it.each(
    chosen([
      ["nothing", { damage: () => undefined }],
      ["the write-ahead log cut", { damage: (of) => cut(of, "quarterdeck.sqlite-wal"), end: "kill" }],
      [
        "the write-ahead log garbled",
        { damage: (of) => garble(of, "quarterdeck.sqlite-wal"), end: "kill", isShort: true },
      ],
      ["the write-ahead log deleted", { damage: (of) => remove(of, "quarterdeck.sqlite-wal"), end: "kill" }],
      ["the shared memory deleted", { damage: (of) => remove(of, "quarterdeck.sqlite-shm"), end: "kill" }],
      ["the shared memory garbled", { damage: (of) => garble(of, "quarterdeck.sqlite-shm"), end: "kill" }],
      ["the attachments gone", { damage: (of) => remove(of, "attachments") }],
    ]),
  )("%s: starts, and the backup can be restored", async (_, { damage, end }) => {
    damaged(damage, end);
    const started = await startDamaged();
    expect((await healthOf(started)).codes).not.toContain("database_damaged");
    expect(await restoreOnScreen(started)).toMatchObject({ ok: true });
    await expectRestored(started);
  });
});

describe("a damage to the database with which the console starts", () => {
  it.each(
    chosen([
      ["a page of messages", { damage: (of) => damageTable(of, "messages"), isShort: true }],
      ["a page of passages", { damage: (of) => damageTable(of, "chunks") }],
      ["a page of the texts of the search", { damage: (of) => damageTable(of, "find_texts_data") }],
      ["a page of jobs", { damage: (of) => damageTable(of, "jobs") }],
      ["the workspace database", { damage: (of) => garble(of, "workspace.db") }],
    ]),
  )("%s: is known at once, and the backup is restored on the screen", async (name, { damage }) => {
    damaged(damage);
    const started = await startDamaged();
    const isWorkspace = name.startsWith("the workspace");
    const code = isWorkspace ? "workspace_damaged" : "database_damaged";
    expect(await healthOf(started)).toEqual({ status: "degraded", codes: [code] });
    const ready = (await (await started.ask("/readyz")).json()) as { checks: { database: string } };
    expect(ready.checks.database).toBe(isWorkspace ? "ok" : "failed");
    const page = await started.ask("/settings/system", { headers: cookieOf(started) });
    const text = await page.text();
    expect([page.status, text.includes("database is damaged")]).toEqual([200, true]);

    const { ok, message } = await restoreOnScreen(started);
    expect({ ok, message }).toEqual({ ok: true, message: expect.stringContaining("kept in replaced/") });
    expect(kept()).toContain("quarterdeck.sqlite");
    await expectRestored(started);
  });
});

describe("a damage that keeps people out", () => {
  it.each(
    chosen([
      ["a page of users", { damage: (of) => damageTable(of, "users") }],
      ["a page of sessions", { damage: (of) => damageTable(of, "sessions") }],
      ["a page of settings", { damage: (of) => damageTable(of, "org_settings") }],
      ["fifty pages", { damage: (of) => damagePages(of, 50) }],
      ["a page of the audit trail", { damage: (of) => damageTable(of, "audit_entries") }],
      ["a page of runs", { damage: (of) => damageTable(of, "workflow_runs") }],
      ["the header", { damage: (of) => garble(of, "quarterdeck.sqlite"), isShort: true }],
      ["half of it", { damage: (of) => cut(of, "quarterdeck.sqlite") }],
      ["a text in its place", { damage: (of) => replaceWithText(of, "quarterdeck.sqlite") }],
      ["no byte", { damage: (of) => empty(of, "quarterdeck.sqlite") }],
      ["no database", { damage: (of) => remove(of, "quarterdeck.sqlite") }],
    ]),
  )("%s: is named, and the command restores the backup", async (_, { damage }) => {
    damaged(damage);
    try {
      const started = await startDamaged();
      const response = await started.ask("/api/health");
      expect(((await response.json()) as { status: string }).status).toBe("degraded");
      await started.stop();
      expect(started.output).toContain(`node build/restore.mjs ${backup}`);
    } catch (error) {
      const printed = (error as Error).message;
      expect(printed).toContain("It ended with 1.");
      expect(printed).toContain(join(dataDir, "quarterdeck.sqlite"));
      expect(printed).toContain(`npm run restore -- ${backup}`);
      expect(printed).toContain(`node build/restore.mjs ${backup}`);
      expect(printed).not.toMatch(/^\s+at /m);
    }
    const { status, stdout, stderr } = run("restore", backup);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`${backup} was restored`);
    await expectRestored(await startDamaged());
  });
});

describe("a damage to another file", () => {
  it.each(
    chosen([
      ["audit.head garbled", { damage: (of) => garble(of, "audit.head") }],
      ["audit.head deleted", { damage: (of) => remove(of, "audit.head") }],
    ]),
  )("%s: the trail is reported, and the backup is restored on the screen", async (_, { damage }) => {
    damaged(damage);
    const started = await startDamaged();
    const { codes } = await healthOf(started);
    expect(codes).toEqual([expect.stringMatching(/^audit_/)]);
    expect(await restoreOnScreen(started)).toMatchObject({ ok: true });
  });

  const files: [name: string, file: string, damage: (of: string) => void, says: RegExp, isShort?: true][] = [
    [
      "audit.key deleted",
      "audit.key",
      (of) => remove(of, "audit.key"),
      /is missing, and the database needs/,
      true,
    ],
    ...(
      [
        ["session.secret", "sessions", undefined],
        [
          "sealing.key",
          "authenticators",
          "INSERT INTO authenticators VALUES ('usr_owner', 'v1.sealed', 1, 1)",
        ],
        [
          "sealing.key",
          "accounts of an MCP server",
          "INSERT INTO mcp_accounts VALUES ('org_test', 'mcp_1', 'usr_owner', 'v1.sealed', 1)",
        ],
        [
          "sealing.key",
          "the sign-in of an MCP server",
          `INSERT INTO mcp_servers (id, org_id, title, transport, target, keys, tools, decisions, created_at, updated_at,
            credentials) VALUES ('mcp_1', 'org_test', '', 'http', '', '{}', '[]', '{}', 1, 1, 'v1.sealed')`,
        ],
        [
          "push.key",
          "subscriptions",
          "INSERT INTO push_subscriptions VALUES ('psh_1', 'usr_owner', NULL, 'https://push.example', '', '', NULL, 1)",
        ],
      ] as const
    ).map(([file, protects, sql]): (typeof files)[number] => [
      `${file} deleted, with ${protects}`,
      file,
      (of) => {
        remove(of, file);
        if (sql) change(of, sql);
      },
      /is missing, and the database needs it\. Put the right one back from a copy, or set [A-Z_]+ to it/,
      true,
    ]),
    ["audit.key garbled", "audit.key", (of) => garble(of, "audit.key"), /is damaged/],
    ["audit.key empty", "audit.key", (of) => empty(of, "audit.key"), /is damaged/],
    ["session.secret empty", "session.secret", (of) => put(of, "session.secret", ""), /is damaged/],
    ["session.secret a folder", "session.secret", (of) => swapKind(of, "session.secret"), /isn't a file/],
    ["process.lock garbled", "process.lock", (of) => garble(of, "process.lock"), /is damaged/],
    ["process.lock a folder", "process.lock", (of) => swapKind(of, "process.lock"), /isn't a file/, true],
    [
      "the plan of a restore garbled",
      "plan.json",
      (of) => {
        mkdirSync(join(of, "restore"));
        garble(of, "restore/plan.json");
      },
      /is damaged/,
    ],
  ];
  it.each(isWholeForm ? files : files.filter(([, , , , isShort]) => isShort))(
    "%s: the start is refused with its name",
    (_, file, damage, says) => {
      damaged(damage);
      const { status, stdout, stderr } = run("server");
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(says)]);
      expect(stderr).toContain(join(dataDir, file === "plan.json" ? "restore/plan.json" : file));
    },
  );
});

describe("a damaged backup", () => {
  const damages = [
    ["with one byte changed", changeByte],
    ["cut", cut],
  ] as const;
  it.each(isWholeForm ? damages : damages.slice(0, 1))(
    "%s is refused, and nothing is changed",
    async (_, damage) => {
      damaged((of) => damage(of, copyOfBackup(of, backup, "copy.tar.gz")));
      const { status, stdout, stderr } = run("restore", "copy.tar.gz");
      expect([status, stdout]).toEqual([1, expect.stringMatching(/^Checking \S+copy\.tar\.gz …\n$/)]);
      expect(stderr).toMatch(
        /The backup is damaged: its archive is incomplete or was changed\. Nothing was changed\.\n$/,
      );
      expect(kept()).toEqual([]);
      await expectRestored(await startDamaged());
    },
  );
});

describe("a restore by the command that fails", () => {
  /** Fails the first call of a function of node:fs whose arguments name a file. */
  const failing = (name: string, path: string) => [
    "--import",
    `data:text/javascript,${encodeURIComponent(`import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { ${name} } = fs;
      fs.${name} = (...args) => {
        if (!String(args[${name === "renameSync" ? 1 : 0}]).endsWith(${JSON.stringify(path)})) return ${name}(...args);
        fs.${name} = ${name};
        syncBuiltinESMExports();
        throw new Error("It broke.");
      };
      syncBuiltinESMExports();`)}`,
  ];

  const failures: [when: string, options: string[], says: string, isRestored: boolean][] = [
    [
      "while files are swapped",
      failing("renameSync", "/quarterdeck.sqlite"),
      "It broke. The next start of the console brings the earlier state back.",
      false,
    ],
    [
      "before it changes anything",
      failing("renameSync", "/restore/plan.json"),
      "It broke. Nothing was changed.",
      false,
    ],
    [
      "before its outcome is kept",
      failing("renameSync", "/backups/outcome.json"),
      "It broke. The next start of the console brings the earlier state back.",
      false,
    ],
    [
      "while the replaced files are put away",
      failing("mkdirSync", "/replaced"),
      "It broke. The backup is in place: start the console.",
      true,
    ],
  ];
  it.each(isWholeForm ? failures : failures.slice(0, 1))(
    "%s: says what it left",
    async (_, options, says, isRestored) => {
      damaged(() => undefined);
      const { status, stderr } = runNode(...options, "build/restore.mjs", backup);
      expect([status, stderr.trim().split("\n").at(-1)]).toEqual([1, says]);
      const started = await startDamaged();
      // A restored console has no sessions.
      const response = await started.ask("/api/personas", { headers: cookieOf(started) });
      expect(response.status).toBe(isRestored ? 401 : 200);
    },
  );
});

describe("a restore that is killed", () => {
  const script = (text: string) => [
    "--import",
    `data:text/javascript,${encodeURIComponent(`import fs from "node:fs";
      import { createRequire, syncBuiltinESMExports } from "node:module";
      const kill = () => process.kill(process.pid, "SIGKILL");
      ${text}`)}`,
  ];
  const atRename = (path: string) =>
    script(`const { renameSync } = fs;
      fs.renameSync = (...args) => (args[1].endsWith(${JSON.stringify(path)}) ? kill() : renameSync(...args));
      syncBuiltinESMExports();`);
  /** In the middle of writing a database, ten pages after ten. A build has packages of its own. */
  const within = (path: string) =>
    script(`const Database = createRequire(fs.realpathSync("build/server.mjs"))("better-sqlite3");
      const { backup } = Database.prototype;
      Database.prototype.backup = function (target, options) {
        if (!target.endsWith(${JSON.stringify(path)})) return backup.call(this, target, options);
        let steps = 0;
        return backup.call(this, target, { progress: () => (++steps > 5 ? kill() : 10) });
      };`);

  const kills: [when: string, options: () => string[]][] = [
    ["while a database is overwritten", () => within(join(dataDir, "quarterdeck.sqlite"))],
    ["while the present database is copied", () => within("/previous/quarterdeck.sqlite.partial")],
    ["before the copy is in its place", () => atRename("/previous/quarterdeck.sqlite")],
    ["between both databases", () => atRename("/previous/workspace.db")],
    ["between databases and folders", () => atRename("/previous/attachments")],
    ["before it notes that all is in place", () => atRename("/backups/outcome.json")],
  ];
  it.each(isWholeForm ? kills : kills.slice(0, 1))(
    "%s: the next start has the earlier state, even if it is killed too",
    async (_, options) => {
      damaged(() => undefined);
      const { status, stderr } = runNode(...options(), "build/restore.mjs", backup);
      expect([status, stderr]).toEqual([null, ""]);
      const [flag, url] = within(join(dataDir, "quarterdeck.sqlite"));
      const failing = new TestServer(dataDir, { NODE_OPTIONS: `${flag} ${url}` }, {});
      const hasCopy = existsSync(join(dataDir, "restore/previous/quarterdeck.sqlite"));
      if (hasCopy) await expect(failing.start()).rejects.toThrow();
      const started = await startDamaged();
      expect(JSON.parse(readFileSync(outcomeFile(), "utf8"))).toMatchObject({
        ok: false,
        message: expect.stringContaining("the earlier state was kept"),
      });
      expect((await started.ask("/api/personas", { headers: cookieOf(started) })).status).toBe(200);
      expect(await healthOf(started)).toEqual({ status: "ok", codes: [] });
    },
  );
});

it("a check on demand says what it found, and health follows it", async () => {
  damaged(() => undefined);
  const started = await startDamaged();
  const check = async () => {
    rmSync(outcomeFile(), { force: true });
    expect(await post(started, "/api/system/check", {})).toBe(202);
    await expect.poll(() => existsSync(outcomeFile())).toBe(true);
    return JSON.parse(readFileSync(outcomeFile(), "utf8"));
  };
  expect(await check()).toMatchObject({ ok: true, message: "The database was checked and is intact." });
  const intact = readFileSync(join(dataDir, "workspace.db"));
  garble(dataDir, "workspace.db");
  expect(await check()).toMatchObject({
    ok: false,
    message: expect.stringContaining("workspace.db is damaged"),
  });
  expect((await healthOf(started)).codes).toEqual(["workspace_damaged"]);
  writeFileSync(join(dataDir, "workspace.db"), intact);
  expect(await check()).toMatchObject({ ok: true });
  expect((await healthOf(started)).codes).toEqual([]);

  const raw = new Database(join(dataDir, "quarterdeck.sqlite"));
  raw
    .prepare(
      `INSERT INTO attachments (id, org_id, name, media_type, size, sha, tokens, created_at)
        SELECT 'att_lost', id, 'lost.txt', 'text/plain', 1, ?, 1, ? FROM organisations`,
    )
    .run("a".repeat(64), Date.now());
  raw.close();
  const message = expect.stringContaining("1 file of attachments is missing.");
  expect(await check()).toMatchObject({ ok: false, message });
  const page = await started.ask("/settings/system", { headers: cookieOf(started) });
  // The result of the check, and the standing fact.
  expect((await page.text()).split("1 file of attachments is missing.").length).toBeGreaterThan(2);
});

describe("the restore command", () => {
  it("lists the backups without a name, and leaves a folder alone that a console uses", async () => {
    damaged(() => undefined);
    const listed = run("restore");
    expect(listed.status).toBe(1);
    expect(listed.stderr).toContain(backup);
    await startDamaged();
    const { status, stderr } = run("restore", backup);
    expect([status, stderr]).toEqual([1, expect.stringContaining("Another Quarterdeck process uses")]);
  });

  it("makes a new installation of a backup", async () => {
    dataDir = mkdtempSync(join(tmpdir(), "quarterdeck-damaged-"));
    const { status, stdout } = run("restore", join(folderAfter("stop"), "backups", backup));
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("was restored") });
    await expectRestored(await startDamaged());
    expect(existsSync(join(dataDir, "replaced"))).toBe(false);
  });
});
