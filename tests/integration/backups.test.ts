import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createArchive } from "~/team/backups/create-archive.thread";
import { EVERYTHING_SERVER } from "../support/everything";
import { isWholeForm, killWhen, lookInto } from "../support/faults";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    env: { MCP_COMMANDS: `everything=${process.execPath} ${EVERYTHING_SERVER} stdio` },
  });
});
afterAll(() => server.close());

/** Resolves once a file is in a folder. */
function appears(folder: string, matches: (name: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = [];
    let watched: number | undefined;
    const look = () => {
      const ino = statSync(folder, { throwIfNoEntry: false })?.ino;
      if (ino === undefined) return;
      if (ino !== watched) watchers.push(watch(folder, look));
      watched = ino;
      const found = readdirSync(folder).find(matches);
      if (!found) return;
      for (const watcher of watchers) watcher.close();
      resolve(found);
    };
    // Not recursive: Node of before nodejs/node#63686 (June 2026) throws where a folder within vanishes.
    watchers.push(watch(join(folder, ".."), look));
    look();
  });
}

const folderOf = ({ dataDir }: TestServer) => join(dataDir, "backups");
const finished = (kind: string) => (name: string) => name.endsWith(`-${kind}.tar.gz`);
const outcomeOf = (of: TestServer): { ok: boolean; message: string } =>
  JSON.parse(readFileSync(join(folderOf(of), "outcome.json"), "utf8"));

async function ask(of: TestServer, path: string, as: string, json?: unknown, method = "POST") {
  const response = await of.ask(path, {
    headers: { cookie: as, origin: of.baseUrl },
    method,
    ...(json === undefined ? {} : { json }),
  });
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
}

const signIn = (of: TestServer) => of.signIn(people.owner.email, people.owner.password);

/** Resolves once requests reach the console again, which holds them while it restarts. */
async function answers(of: TestServer): Promise<void> {
  for (;;) {
    const response = await of.ask("/api/health").catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return;
  }
}

const persona = (name: string) => ({
  name,
  systemPrompt: "x",
  defaultModel: "gpt-4o",
  mode: "default",
  tools: [],
});
const personasOf = (of: TestServer) =>
  lookInto(of, (raw) => raw.prepare("SELECT name FROM personas ORDER BY name").pluck().all());

async function makeBackup(of: TestServer): Promise<string> {
  expect(await ask(of, "/api/system/backups", await signIn(of), {})).toEqual({ status: 202, body: {} });
  return appears(folderOf(of), finished("manual"));
}

async function restore(of: TestServer, name: string): Promise<void> {
  rmSync(join(folderOf(of), "outcome.json"), { force: true });
  const accepted = await ask(of, `/api/system/backups/${name}/restore`, await signIn(of), {});
  expect(accepted).toEqual({ status: 202, body: {} });
}

/** Ids of the processes of the MCP command that the console started. */
const commandsOf = ({ pid }: TestServer) =>
  execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join(" ").includes(EVERYTHING_SERVER))
    .map(([id]) => Number(id));

describe("a backup", () => {
  it("is restored as it was taken, and the state before the restore is kept as a backup", async () => {
    await ask(server, "/api/personas", server.cookieOf("owner"), persona("Before"));
    const plugin = { title: "Local", command: "everything" };
    const added = await ask(server, "/api/mcp-servers", server.cookieOf("owner"), plugin);
    const check = (as: string) => ask(server, "/api/mcp-servers/mcp-local/refresh", as, {});
    const checked = await check(server.cookieOf("owner"));
    const commands = commandsOf(server);
    expect([added.status, checked.status, commands.length]).toEqual([201, 200, 1]);
    const name = await makeBackup(server);
    await ask(server, "/api/personas", await signIn(server), persona("After"));
    expect(personasOf(server)).toEqual(["After", "Before"]);

    await restore(server, name);
    await appears(folderOf(server), (file) => file === "outcome.json");
    await answers(server);
    expect(outcomeOf(server)).toEqual(expect.objectContaining({ ok: true }));
    expect(personasOf(server)).toEqual(["Before"]);
    expect((await server.ask("/api/personas", { as: "owner" })).status).toBe(401);
    const owner = await signIn(server);
    // The plugin's process ended with the state before, and starts again for the restored one.
    expect(commandsOf(server)).toEqual([]);
    expect([(await check(owner)).status, commandsOf(server).length]).toEqual([200, 1]);
    expect(commandsOf(server)).not.toEqual(commands);
    const { body } = await ask(server, "/api/system/backups", owner, undefined, "GET");
    expect((body as { kind: string }[]).map(({ kind }) => kind).sort()).toEqual(["before-restore", "manual"]);
    const actions = lookInto(server, (raw) => raw.prepare("SELECT action FROM audit_entries").pluck().all());
    expect(actions).toContain("backup.restored");
    expect(await ask(server, "/api/health", owner, undefined, "GET")).toEqual({
      status: 200,
      body: { status: "ok" },
    });
    expect(existsSync(join(server.dataDir, "restore"))).toBe(false);

    if (!isWholeForm) {
      await ask(server, "/api/personas", owner, persona("After"));
      return;
    }
    const before = (body as { name: string; kind: string }[]).find(({ kind }) => kind === "before-restore");
    await restore(server, before?.name ?? "");
    await appears(folderOf(server), (file) => file === "outcome.json");
    await answers(server);
    expect(personasOf(server)).toEqual(["After", "Before"]);
  });

  it("that runs triggers of its own is undone, and the present state continues", async () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-foreign-"));
    try {
      const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"), { readonly: true });
      await raw.backup(join(folder, "quarterdeck.sqlite"));
      raw.close();
      const changed = new Database(join(folder, "quarterdeck.sqlite"));
      changed.exec(
        "CREATE TRIGGER evil AFTER INSERT ON personas BEGIN UPDATE users SET role = 'owner'; END; DELETE FROM personas",
      );
      changed.close();
      const name = "foreign.tar.gz";
      await createArchive({
        kind: "create",
        dataDir: folder,
        target: join(folderOf(server), name),
        version: "0",
        createdAt: new Date().toISOString(),
        auditKey: "another",
      });
      await restore(server, name);
      await appears(folderOf(server), (file) => file === "outcome.json");
      await answers(server);
      expect(outcomeOf(server)).toEqual(
        expect.objectContaining({ ok: false, message: expect.stringContaining("triggers or views") }),
      );
      expect(personasOf(server)).toEqual(["After", "Before"]);
      rmSync(join(folderOf(server), name));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("that was cut off by a kill is written again, and leaves nothing unfinished", async () => {
    for (const file of readdirSync(folderOf(server)))
      rmSync(join(folderOf(server), file), { recursive: true });
    const cookie = await signIn(server);
    // Random bytes take a while to pack: a backup of a few rows is over before anybody looks.
    const attachment = join(server.dataDir, "attachments", "f".repeat(64));
    mkdirSync(dirname(attachment), { recursive: true });
    writeFileSync(attachment, randomBytes(64 << 20));
    const killed = killWhen(server, "SELECT 1 FROM jobs WHERE kind = 'backups.create' AND state = 'running'");
    await Promise.all([killed, ask(server, "/api/system/backups", cookie, {}).catch(() => undefined)]);
    rmSync(attachment);
    await server.start();
    await appears(folderOf(server), finished("manual"));
    await server.restart();
    expect(readdirSync(folderOf(server)).filter((name) => !name.endsWith(".tar.gz"))).toEqual([]);
  });

  it("whose restore is cut off by a kill is in place as a whole, or not at all", async () => {
    const [name = ""] = readdirSync(folderOf(server));
    await ask(server, "/api/personas", await signIn(server), persona("Later"));
    await restore(server, name);
    await appears(join(server.dataDir, "restore"), (file) => file === "plan.json");
    await server.kill();
    await server.start();
    const { ok } = outcomeOf(server);
    expect(personasOf(server)).toEqual(ok ? ["After", "Before"] : ["After", "Before", "Later"]);
    expect(existsSync(join(server.dataDir, "restore"))).toBe(false);
    await answers(server);
    expect(await signIn(server)).toContain("qd_session=");
  });

  it("leaves the console smaller after it is compacted", async () => {
    rmSync(join(folderOf(server), "outcome.json"), { force: true });
    expect(await ask(server, "/api/system/compact", await signIn(server))).toEqual({
      status: 202,
      body: {},
    });
    await appears(folderOf(server), (file) => file === "outcome.json");
    await answers(server);
    expect(outcomeOf(server)).toEqual(
      expect.objectContaining({ ok: true, message: expect.stringContaining("smaller") }),
    );
    expect(await signIn(server)).toContain("qd_session=");
  });

  it("is imported by the setup link of a new installation", async () => {
    const name = readdirSync(folderOf(server)).find(finished("manual")) ?? "";
    const fresh = await startServer({ people: false });
    try {
      // It is printed right after the line that the start waits for.
      await expect.poll(() => fresh.output).toContain("token=");
      const link = /\/setup\?token=(\S+)/.exec(fresh.output)?.[1] ?? "";
      const body = new FormData();
      body.append("file", new Blob([readFileSync(join(folderOf(server), name))]), name);
      const response = await fresh.ask(`/setup/import?token=${link}`, {
        body,
        method: "POST",
        headers: { origin: fresh.baseUrl },
      });
      expect([response.status, response.headers.get("location")]).toEqual([303, "/login?local=1"]);
      await appears(folderOf(fresh), (file) => file === "outcome.json");
      await answers(fresh);
      const owner = await signIn(fresh);
      expect(personasOf(fresh)).toEqual(["After", "Before"]);
      expect((await fresh.ask(`/setup/import?token=${link}`)).status).toBe(410);
      const health = await ask(fresh, "/api/health", owner, undefined, "GET");
      expect(health).toEqual({ status: 200, body: { status: "ok" } });
      // What they protected in the other data folder can't be opened here, and is no reason to refuse the next start.
      expect(readdirSync(fresh.dataDir)).toEqual(expect.arrayContaining(["sealing.key", "push.key"]));
    } finally {
      await fresh.close();
    }
  });
});
