import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { TRAIL_FAULTS } from "~/platform/audit/audit.shared";
import { FOLDERS } from "../support/database";
import { addPeople } from "../support/people";
import { TestServer } from "../support/server";
import { S3_KEY, S3_VERIFIES, startS3Server } from "../support/source-servers";

/** Litestream's program; `npm run test:litestream` and `npm test` install it. */
const litestream = process.env.LITESTREAM ?? "litestream";
/** `npm test` has the short form. */
const isWhole = process.env.LITESTREAM_TESTS === "all";
const KILLS = isWhole ? 6 : 1;
/** Adding the documents takes processor time, which a busy machine has little of: 290 s were seen at a load of 30. */
const ADDING = { timeout: 900_000 };

const KEYS = {
  AUDIT_KEY: "the audit key of both copies, 32 characters",
  SESSION_SECRET: "the session secret of both copies, 32 characters",
  SEALING_KEY: "the sealing key of both copies, 32 characters",
  PUSH_KEY: "A".repeat(43),
};

const folders: string[] = [];
const newFolder = (name: string) => {
  const folder = mkdtempSync(join(resolve(FOLDERS), `quarterdeck-${name}-`));
  folders.push(folder);
  return folder;
};
const running: Replicated[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.kill();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function run(program: string, options: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, options, {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += String(part)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

const syncOnce = (dataDir: string, file: string) =>
  run(litestream, ["sync", "-socket", join(dataDir, "litestream.sock"), "-wait", file]);

/** The console as the child of Litestream, as litestream.yml and the Dockerfile start it. */
class Replicated extends TestServer {
  /** Both at once, as with the machine. */
  override async kill(): Promise<void> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    await super.kill();
  }

  get database(): string {
    return join(this.dataDir, "quarterdeck.sqlite");
  }

  /** Resolves once the replica has all that was committed. */
  async sync(): Promise<void> {
    for (const file of [this.database, join(this.dataDir, "workspace.db")]) {
      const { code, output } = await syncOnce(this.dataDir, file);
      expect(code, output).toBe(0);
    }
  }

  async addPersona(name: string): Promise<number> {
    const json = { name, systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
    return (await this.ask("/api/personas", { as: "owner", json })).status;
  }

  /** The list of personas as text. */
  async personas(): Promise<string> {
    return (await this.ask("/api/personas?limit=100", { as: "owner" })).text();
  }

  async readiness() {
    const response = await this.ask("/readyz");
    return { status: response.status, ...((await response.json()) as { checks?: Record<string, string> }) };
  }
}

type Sessions = Awaited<ReturnType<typeof addPeople>>;

async function startUnder(
  dataDir: string,
  sessions: Sessions,
  url: string,
  env: Record<string, string> = {},
): Promise<Replicated> {
  const start = join(newFolder("start"), "start.sh");
  const config = resolve("litestream.yml");
  writeFileSync(
    start,
    `#!/bin/sh\numask 077\nexec setsid ${litestream} replicate -config ${config} -restore-if-db-not-exists -exec "${process.execPath} $1"\n`,
  );
  chmodSync(start, 0o755);
  const all = { ...KEYS, LITESTREAM_URL: url, ...env };
  const server = new Replicated(dataDir, all, sessions, process.cwd(), false, start);
  running.push(server);
  await server.start();
  return server;
}

/** As the runbook has it. */
const restore = (url: string, file: string, more: readonly string[] = [], env: Record<string, string> = {}) =>
  run(litestream, ["restore", "-integrity-check", "full", ...more, "-o", file, url], env);

/** Figures for docs/operating.md. */
const show = (line: string) => isWhole && process.stdout.write(`${line}\n`);
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const drill = (dataDir: string, url: string, env: Record<string, string> = {}) =>
  run(process.execPath, [resolve("build/restore-drill.mjs")], {
    ...KEYS,
    DATA_DIR: dataDir,
    LITESTREAM_URL: url,
    LITESTREAM: litestream,
    ...env,
  });

const runProgram = (name: string, dataDir: string) =>
  run(process.execPath, [resolve(`build/${name}.mjs`)], { ...KEYS, DATA_DIR: dataDir });

interface Acknowledged {
  name: string;
  at: number;
}

/** Four writers, each of which ends at its first refusal. @returns once enough is acknowledged */
async function underLoad(server: Pick<Replicated, "addPersona">) {
  const acknowledged: Acknowledged[] = [];
  const write = async (writer: number) => {
    for (let at = 0; ; at++) {
      const name = `Load ${writer} ${at}`;
      if ((await server.addPersona(name).catch(() => 0)) !== 201) return;
      acknowledged.push({ name, at: Date.now() });
    }
  };
  const ended = Promise.all([1, 2, 3, 4].map(write));
  const isUnderWay = (more: number) =>
    expect.poll(() => acknowledged.length).toBeGreaterThan(more + (isWhole ? 100 : 10));
  await isUnderWay(0);
  return { acknowledged, ended, goesOn: () => isUnderWay(acknowledged.length) };
}

function personasIn(file: string): unknown[] {
  const raw = new Database(file, { readonly: true });
  const names = raw.prepare("SELECT name FROM personas").pluck().all();
  raw.close();
  return names;
}

/** Every row of every ordinary table but Litestream's own. */
function contentOf(file: string): Record<string, unknown[]> {
  const raw = new Database(file, { readonly: true });
  const tables = raw
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all() as string[];
  const rows = tables.map((name) => [name, raw.prepare(`SELECT * FROM "${name}"`).raw().all()] as const);
  raw.close();
  return Object.fromEntries(rows);
}

/** Compared by table, since a difference within thousands of rows says less than its table's name. */
function expectSame(copy: string, original: string): void {
  const [found, expected] = [contentOf(copy), contentOf(original)];
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  const isEqual = (name: string) => JSON.stringify(found[name]) === JSON.stringify(expected[name]);
  expect(Object.keys(expected).filter((name) => !isEqual(name))).toEqual([]);
}

async function newInstallation() {
  const dataDir = newFolder("first");
  const sessions = await addPeople(dataDir, KEYS.AUDIT_KEY);
  const target = newFolder("target");
  return { dataDir, sessions, target, url: `file://${target}/one` };
}

describe("a kill of the console and Litestream under load", () => {
  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
    "loses nothing that was synced (%i)",
    async () => {
      const { dataDir, sessions, url } = await newInstallation();
      const server = await startUnder(dataDir, sessions, url);
      for (const name of ["One", "Two", "Three"]) expect(await server.addPersona(name)).toBe(201);
      await server.sync();
      const { acknowledged, ended } = await underLoad(server);
      const killedAt = Date.now();
      await server.kill();
      await ended;
      const copy = newFolder("copy");
      const file = join(copy, "quarterdeck.sqlite");
      const { code, output } = await restore(`${url}/quarterdeck`, file);
      expect(code, output).toBe(0);
      const names = personasIn(file);
      expect(names).toEqual(expect.arrayContaining(["One", "Two", "Three"]));
      const missing = acknowledged.filter(({ name }) => !names.includes(name));
      const oldest = Math.max(0, ...missing.map(({ at }) => killedAt - at)) / 1000;

      // With the record of the machine that was lost, which can be ahead of the replica.
      copyFileSync(join(dataDir, "audit.head"), join(copy, "audit.head"));
      const verdict = await runProgram("audit-verify", copy);
      if (verdict.code !== 0) expect(verdict.output).toContain(TRAIL_FAULTS.unclean_end);
      expect(await runProgram("audit-adopt", copy)).toMatchObject({
        code: 0,
        output: expect.stringContaining("The audit trail is whole"),
      });
      expect(await runProgram("audit-verify", copy)).toMatchObject({ code: 0 });
      show(
        `kill: ${acknowledged.length} acknowledged, ${missing.length} missing, the oldest ${oldest.toFixed(2)} s before it, trail ${verdict.code === 0 ? "whole" : "without its end"}`,
      );
    },
  );
});

describe("a planned move", () => {
  it.each(Array.from({ length: isWhole ? 3 : 1 }, (_, index) => index + 1))(
    "loses nothing, without a word to Litestream before the stop (%i)",
    async () => {
      const { dataDir, sessions, url } = await newInstallation();
      const server = await startUnder(dataDir, sessions, url);
      const { acknowledged, ended } = await underLoad(server);
      expect(await server.stop()).toBe(0);
      await ended;
      const copy = newFolder("copy");
      const file = join(copy, "quarterdeck.sqlite");
      const { code, output } = await restore(`${url}/quarterdeck`, file);
      expect(code, output).toBe(0);
      expect(personasIn(file)).toEqual(expect.arrayContaining(acknowledged.map(({ name }) => name)));
      expectSame(file, server.database);
      copyFileSync(join(dataDir, "audit.head"), join(copy, "audit.head"));
      expect(await runProgram("audit-verify", copy)).toMatchObject({ code: 0 });
      show(`planned move: ${acknowledged.length} acknowledged, all restored`);
    },
  );
});

describe("the workspace database", () => {
  it("comes back after a kill", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    const statement = (id: string, sql: string, parameters = "[]") => ({
      ...{ id, type: "database_query" },
      config: { sql, parameters, write: true },
    });
    const json = {
      name: "Keeps a log",
      triggers: [{ id: "by_hand", type: "manual", config: {} }],
      steps: [
        statement("make", "CREATE TABLE log (ship TEXT, tons INTEGER)"),
        statement("add", "INSERT INTO log VALUES ($1, $2)", "['Ada', 120]"),
      ],
    };
    const ask = async (path: string, json: object, method = "POST") => {
      const response = await server.ask(path, { as: "owner", method, json });
      const text = await response.text();
      expect(response.ok, text).toBe(true);
      return (JSON.parse(text) as { id: string }).id;
    };
    const workflow = await ask("/api/workflows", json);
    await ask(`/api/workflows/${workflow}`, { enabled: true }, "PUT");
    const id = await ask(`/api/workflows/run/${workflow}`, {});
    const readRun = async () => (await server.ask(`/api/runs/${id}`, { as: "owner" })).json();
    await expect.poll(readRun).toMatchObject({ state: "succeeded" });
    const workspace = join(dataDir, "workspace.db");
    await server.sync();
    await server.kill();
    const copy = join(newFolder("copy"), "workspace.db");
    const { code, output } = await restore(`${url}/workspace`, copy, ["-if-replica-exists"]);
    expect(code, output).toBe(0);
    expectSame(copy, workspace);
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
    await server.start();
    expect(contentOf(workspace)).toEqual({ log: [["Ada", 120]] });
  });
});

describe("a standby", () => {
  it("is held until an owner takes it over on a path of its own, by the runbook's steps", async () => {
    const { dataDir, sessions, target, url } = await newInstallation();
    const first = await startUnder(dataDir, sessions, url);
    expect(await first.addPersona("Before")).toBe(201);
    expect(await first.readiness()).toMatchObject({ status: 200, checks: { replica: "ok" } });
    await first.sync();
    expect(await drill(dataDir, url)).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /workspace [\d.]+ \wB\. Both passed SQLite's integrity check\.\nAudit trail: whole, \d+ entries/,
      ),
    });
    await first.kill();

    const copy = newFolder("standby");
    expect((await restore(`${url}/quarterdeck`, join(copy, "quarterdeck.sqlite"))).code).toBe(0);
    const equal = await startUnder(copy, sessions, url, { STANDBY: "1" });
    expect(await equal.readiness()).toMatchObject({ status: 503, checks: { standby: "held", queues: "ok" } });
    expect(await equal.addPersona("Held")).toBe(503);
    expect(await (await equal.ask("/login")).text()).toContain("This console is a standby");
    const refused = await equal.ask("/api/system/take-over", { method: "POST", as: "owner" });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("former console")]);
    await equal.stop();

    // What Litestream keeps of the former path isn't the beginning of the new one.
    const own = `file://${target}/two`;
    const second = await startUnder(copy, sessions, own, { STANDBY: "1" });
    expect(await (await second.ask("/standby", { as: "owner" })).text()).toContain("Former replica");
    const asMember = await second.ask("/api/system/take-over", { method: "POST", as: "admin" });
    expect(asMember.status).toBe(403);
    const taken = await second.ask("/api/system/take-over", { method: "POST", as: "owner" });
    expect(taken.status).toBe(202);
    await expect
      .poll(() => second.readiness(), {
        timeout: 60_000,
        interval: 200,
      })
      .toMatchObject({ status: 200 });
    expect(await second.addPersona("After")).toBe(201);
    const env = { ...KEYS, DATA_DIR: copy };
    expect(await run(process.execPath, [resolve("build/audit-verify.mjs")], env)).toMatchObject({ code: 0 });
    const log = await (await second.ask("/api/audit?action=console.taken_over", { as: "owner" })).text();
    expect(log).toContain(url);

    // It stays the one that works after a start with the same environment.
    await second.restart();
    expect(await second.readiness()).toMatchObject({ status: 200 });

    // The first one comes back: each has its own replica, and both are whole.
    const back = await startUnder(dataDir, sessions, url);
    expect(await back.addPersona("On the first")).toBe(201);
    await back.sync();
    await second.sync();
    for (const [folder, path] of [
      [dataDir, url],
      [copy, own],
    ] as const)
      expect(await drill(folder, path)).toMatchObject({ code: 0 });
    const again = join(newFolder("again"), "quarterdeck.sqlite");
    expect((await restore(`${own}/quarterdeck`, again)).code).toBe(0);
    const raw = new Database(again, { readonly: true });
    expect(raw.prepare("SELECT name FROM personas").pluck().all().toSorted()).toEqual(["After", "Before"]);
    raw.close();
  });
});

describe("a drill", () => {
  it("gives Litestream the password of the address, and prints it nowhere", async () => {
    const program = join(newFolder("program"), "litestream");
    writeFileSync(
      program,
      `#!/bin/sh\ncase "$*" in *//keeper:secret@*) echo It has it;; esac\necho "$@"\nexit 1\n`,
    );
    chmodSync(program, 0o755);
    const url = "sftp://keeper:secret@127.0.0.1/replica";
    const { code, output } = await drill(newFolder("data"), url, { LITESTREAM: program });
    expect(code).toBe(1);
    expect(output).toContain("sftp://127.0.0.1/replica/quarterdeck can't be restored:\nIt has it");
    expect(output).not.toContain("secret");
  });
});

describe("a drill's program", () => {
  it("is looked for on the PATH", async () => {
    const dataDir = newFolder("data");
    const env = {
      ...KEYS,
      DATA_DIR: dataDir,
      LITESTREAM_URL: "file:///nowhere",
    };
    const started = (PATH: string) =>
      run(process.execPath, [resolve("build/restore-drill.mjs")], { ...env, PATH });
    expect(await started(dataDir)).toEqual({
      code: 1,
      output: "litestream isn't on the PATH. LITESTREAM can name the program.\n",
    });
    writeFileSync(join(dataDir, "litestream"), "#!/bin/sh\necho It was started\nexit 1\n", { mode: 0o755 });
    expect((await started(dataDir)).output).toContain("It was started");
  });
});

describe("an emptied data folder", () => {
  it("is filled from the replica before the console starts", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    expect(await server.addPersona("Kept")).toBe(201);
    await server.sync();
    await server.kill();
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
    await server.start();
    expect(await server.personas()).toContain("Kept");
  });
});

describe.runIf(isWhole)("the whole form", () => {
  it("says that the target is away, and catches up", async () => {
    const seen = { timeout: 150_000, interval: 1000 };
    const { dataDir, sessions, target, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    await server.sync();
    const token = await server.createToken("owner", ["metrics.read"]);
    const metrics = async () => (await server.ask("/metrics", { token })).text();
    await expect.poll(() => metrics(), seen).toMatch(/^quarterdeck_replica_up 1$/m);
    expect(await metrics()).toMatch(/^quarterdeck_replica_last_success_seconds \d{10}/m);
    renameSync(join(target, "one"), join(target, "away"));
    writeFileSync(join(target, "one"), "");
    expect(await server.addPersona("While it is away")).toBe(201);
    await expect
      .poll(() => server.readiness(), seen)
      .toMatchObject({ status: 200, checks: { replica: "degraded" } });
    await expect
      .poll(async () => (await server.ask("/settings/system", { as: "owner" })).text(), seen)
      .toContain("The replica doesn&#x27;t follow");
    expect(await metrics()).toMatch(/^quarterdeck_replica_up 0$/m);
    expect(await metrics()).toMatch(/^quarterdeck_replica_lag_seconds [1-9]/m);
    rmSync(join(target, "one"));
    renameSync(join(target, "away"), join(target, "one"));
    await expect.poll(() => server.readiness(), seen).toMatchObject({ checks: { replica: "ok" } });
    await server.sync();
    await server.kill();
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
    await server.start();
    expect(await server.personas()).toContain("While it is away");
  });

  it("comes back with 500 documents, and writes no slower than alone", ADDING, async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    const text = (at: number) => `Document ${at} of ships. ${"Anchors hold in sand and mud. ".repeat(200)}`;
    const add = async (at: number) => {
      const json = { title: `Document ${at}`, text: text(at) };
      expect((await server.ask("/api/rag/ingest", { as: "owner", json })).ok).toBe(true);
    };
    const adding = performance.now();
    for (let from = 0; from < 500; from += 10)
      await Promise.all(Array.from({ length: 10 }, (_, at) => add(from + at)));
    show(`500 documents were added in ${seconds(adding)}`);
    await server.sync();
    await server.kill();
    const copy = newFolder("standby");
    const begun = performance.now();
    const file = join(copy, "quarterdeck.sqlite");
    expect((await restore(`${url}/quarterdeck`, file)).code).toBe(0);
    const restored = seconds(begun);
    const back = new TestServer(copy, KEYS, sessions);
    await back.start();
    const started = seconds(begun);
    const found = await back.ask("/api/rag/search", { as: "owner", json: { query: "anchors in mud" } });
    expect([found.status, ((await found.json()) as { results: unknown[] }).results.length]).toEqual([
      200,
      expect.any(Number),
    ]);
    show(
      `back with 500 documents: restored after ${restored}, started after ${started}, found after ${seconds(begun)}`,
    );
    await back.stop();

    const under = await startUnder(dataDir, sessions, url);
    const alone = new TestServer(copy, KEYS, sessions);
    await alone.start();
    const times: Record<"under" | "alone", number[]> = { under: [], alone: [] };
    for (let at = 0; at < 200; at++)
      for (const [name, one] of [
        ["under", under],
        ["alone", alone],
      ] as const) {
        const json = {
          name: `Pair ${at}`,
          systemPrompt: "x",
          defaultModel: "gpt-4o",
          mode: "default",
          tools: [],
        };
        const sent = performance.now();
        const response = await one.ask("/api/personas", { as: "owner", json });
        await response.text();
        times[name].push(performance.now() - sent);
        expect(response.status).toBe(201);
      }
    await alone.stop();
    const at = (name: "under" | "alone", share: number) =>
      times[name].sort((a, b) => a - b)[Math.floor(200 * share)]?.toFixed(1);
    show(
      `writes with Litestream and alone: p50 ${at("under", 0.5)} and ${at("alone", 0.5)} ms, p95 ${at("under", 0.95)} and ${at("alone", 0.95)} ms`,
    );
  });

  it("is restarted under load, and the replica has all of it", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    // Beside the console, as in a container of its own: as its parent it would end the console.
    const server = new Replicated(dataDir, { ...KEYS, LITESTREAM_URL: url }, sessions);
    running.push(server);
    await server.start();
    const start = () => {
      const child = spawn(litestream, ["replicate", "-config", resolve("litestream.yml")], {
        env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", DATA_DIR: dataDir, LITESTREAM_URL: url },
        stdio: "ignore",
      });
      return { child, ended: once(child, "exit") };
    };
    const first = start();
    try {
      await expect.poll(async () => (await syncOnce(dataDir, server.database)).code).toBe(0);
      const { acknowledged, ended, goesOn } = await underLoad(server);
      first.child.kill("SIGKILL");
      await first.ended;
      await goesOn();
      const second = start();
      try {
        await expect.poll(async () => (await syncOnce(dataDir, server.database)).code).toBe(0);
        await goesOn();
        await server.stop();
        await ended;
        await server.sync();
        const copy = join(newFolder("copy"), "quarterdeck.sqlite");
        const { code, output } = await restore(`${url}/quarterdeck`, copy);
        expect(code, output).toBe(0);
        expect(personasIn(copy)).toEqual(expect.arrayContaining(acknowledged.map(({ name }) => name)));
        expectSame(copy, server.database);
        show(`Litestream killed and started under load: ${acknowledged.length} acknowledged, all restored`);
      } finally {
        second.child.kill("SIGKILL");
        await second.ended;
      }
    } finally {
      first.child.kill("SIGKILL");
    }
  });

  it("works while the target can't be reached from its start on, and fills it once it can", async () => {
    const seen = { timeout: 150_000, interval: 1000 };
    const { dataDir, sessions, target, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    // Litestream makes it with its first copy.
    await expect.poll(() => existsSync(join(target, "one")), seen).toBe(true);
    await server.stop();
    renameSync(join(target, "one"), join(target, "away"));
    writeFileSync(join(target, "one"), "");
    await server.start();
    await expect
      .poll(() => server.readiness(), seen)
      .toMatchObject({ status: 200, checks: { replica: "degraded" } });
    const { acknowledged, goesOn } = await underLoad(server);
    await goesOn();
    const wal = statSync(`${server.database}-wal`).size / 1_000_000;
    show(
      `target away from the start: ${acknowledged.length} acknowledged, a WAL of ${wal.toFixed(1)} MB beside ${(statSync(server.database).size / 1_000_000).toFixed(1)} MB`,
    );
    rmSync(join(target, "one"));
    renameSync(join(target, "away"), join(target, "one"));
    await expect.poll(() => server.readiness(), seen).toMatchObject({ checks: { replica: "ok" } });
    expect(await server.stop()).toBe(0);
    const copy = join(newFolder("copy"), "quarterdeck.sqlite");
    expect(await restore(`${url}/quarterdeck`, copy)).toMatchObject({ code: 0 });
    expectSame(copy, server.database);
  });

  it("goes back to a moment", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    expect(await server.addPersona("Before the mistake")).toBe(201);
    await server.sync();
    const moment = new Date().toISOString();
    expect(await server.addPersona("The mistake")).toBe(201);
    await server.sync();
    await server.stop();
    const copy = newFolder("moment");
    const file = join(copy, "quarterdeck.sqlite");
    const { code, output } = await restore(`${url}/quarterdeck`, file, ["-timestamp", moment]);
    expect(code, output).toBe(0);
    const workspace = ["-if-replica-exists", "-timestamp", moment];
    // With a moment, Litestream calls a replica that was never made an error, as the runbook says.
    expect(await restore(`${url}/none`, join(copy, "workspace.db"), workspace)).toMatchObject({
      code: 1,
      output: expect.stringContaining("no backups found"),
    });
    const raw = new Database(file, { readonly: true });
    const names = raw.prepare("SELECT name FROM personas").pluck().all();
    raw.close();
    expect(names).toContain("Before the mistake");
    expect(names).not.toContain("The mistake");
  });

  it.runIf(S3_VERIFIES)("keeps the databases and the files in S3-compatible storage", async () => {
    const store = await startS3Server();
    try {
      const { dataDir, sessions } = await newInstallation();
      const env = {
        ...store.env,
        LITESTREAM_ACCESS_KEY_ID: S3_KEY,
        LITESTREAM_SECRET_ACCESS_KEY: store.env.FILES_S3_SECRET_ACCESS_KEY,
        AWS_ENDPOINT_URL_S3: store.address,
        AWS_REGION: "us-east-1",
      };
      const url = "s3://handbook/quarterdeck/one";
      const server = await startUnder(dataDir, sessions, url, env);
      const body = new FormData();
      body.append("files", new Blob(["Kept in S3"]), "kept.txt");
      const sent = await server.ask("/api/attachments", { as: "member", body });
      const [file] = (await sent.json()) as { attachment: { id: string } }[];
      await expect.poll(() => store.list("files")).toHaveLength(1);
      await server.sync();
      const { code, output } = await drill(dataDir, url, env);
      expect(code, output).toBe(0);
      expect(output).toContain("Files: 1 of 1 have a copy at");
      await server.kill();
      for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
      await server.start();
      const back = await server.ask(`/api/attachments/${file?.attachment.id}/content`, { as: "member" });
      expect([back.status, await back.text()]).toEqual([200, "Kept in S3"]);
    } finally {
      await store.close();
    }
  });

  it("follows a restore on the screen", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    const token = await server.createToken("owner");
    const add = async (name: string) => {
      const json = { name, systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] };
      const response = await server.ask("/api/personas", { token, json }).catch(() => undefined);
      return response?.status;
    };
    const find = (name: string) => {
      const raw = new Database(server.database, { readonly: true });
      const found = raw.prepare("SELECT count(*) FROM personas WHERE name = ?").pluck().get(name);
      raw.close();
      return found;
    };
    expect(await add("In the backup")).toBe(201);
    expect((await server.ask("/api/system/backups", { as: "owner", json: {} })).status).toBe(202);
    const backups = async () =>
      (await (await server.ask("/api/system/backups", { as: "owner" })).json()) as { name: string }[];
    await expect.poll(async () => (await backups()).length).toBe(1);
    const [backup] = await backups();
    expect(await add("After the backup")).toBe(201);
    await server.sync();
    const restoring = await server.ask(`/api/system/backups/${backup?.name}/restore`, {
      as: "owner",
      json: {},
    });
    expect(restoring.status).toBe(202);
    await expect.poll(() => find("After the backup")).toBe(0);
    await expect.poll(() => add("After the restore")).toBe(201);
    await server.sync();
    expect(await drill(dataDir, url)).toMatchObject({ code: 0 });
    await server.kill();
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
    await server.start();
    expect(["In the backup", "After the backup", "After the restore"].map(find)).toEqual([1, 0, 1]);
  });

  it("follows a compaction", async () => {
    const { dataDir, sessions, url } = await newInstallation();
    const server = await startUnder(dataDir, sessions, url);
    expect(await server.addPersona("Before it")).toBe(201);
    expect((await server.ask("/api/system/compact", { as: "owner", json: {} })).status).toBe(202);
    await expect
      .poll(() => server.readiness(), {
        timeout: 60_000,
        interval: 500,
      })
      .toMatchObject({ status: 200 });
    expect(await server.addPersona("After it")).toBe(201);
    await server.sync();
    expect(await drill(dataDir, url)).toMatchObject({ code: 0 });
  });
});
