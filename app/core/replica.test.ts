import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FOLDERS } from "../../tests/support/database";
import { setClock } from "./clock.server";
import { setEnv } from "./env.server";
import { readReplica } from "./replica.server";
import { findStorageProblems, recordReplicaProblem } from "./storage-faults.server";

let folder: string;
let server: Server | undefined;
/** What Litestream's socket answers, as version 0.5.17 was seen to. */
let answer: string;
let at: number;
/** Of a replica of its own for each test: what was known of an address is kept. */
let url: string;
let count = 0;

beforeEach(() => {
  folder = mkdtempSync(join(FOLDERS, "replica-"));
  url = `file:///mnt/replica-${count++}`;
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder, LITESTREAM_URL: url });
  at = Date.parse("2026-11-29T12:00:00Z");
  setClock(() => at);
});
afterEach(async () => {
  recordReplicaProblem(undefined);
  await new Promise((done) => (server ? server.close(done) : done(undefined)));
  server = undefined;
  setClock();
  setEnv(undefined);
  rmSync(folder, { recursive: true, force: true });
});

const listen = () =>
  new Promise<void>((ready) => {
    server = createServer((request, response) => response.end(request.url === "/list" ? answer : "{}"));
    server.listen(join(folder, "litestream.sock"), ready);
  });
const say = (status: string, syncedAt?: number) => {
  const synced = syncedAt === undefined ? {} : { last_sync_at: new Date(syncedAt).toISOString() };
  const main = { path: join(folder, "quarterdeck.sqlite"), status, ...synced };
  answer = JSON.stringify({ databases: [{ path: join(folder, "workspace.db"), status: "stopped" }, main] });
};
/** What admins see on every screen. */
const problem = () => findStorageProblems().find(({ code }) => code === "replica_behind")?.message;
/** Later than what is still taken as it is. */
const look = () => {
  at += 1001;
  return readReplica();
};

it("knows how far it is, and when it is behind", async () => {
  await listen();
  say("replicating", at);
  expect(await look()).toEqual({ state: "ok", url, lastSuccessAt: at - 1001, lagMs: 1001 });
  expect(problem()).toBeUndefined();
  say("replicating", at - 60_000);
  expect(await look()).toMatchObject({ state: "behind", lagMs: 61_001 });
  expect(problem()).toBe(
    "Litestream can't send the database to its target. The last success was at 2026-11-29T11:59:01.001Z. See Litestream's log.",
  );
  say("stopped", at);
  expect(await look()).toMatchObject({ state: "behind" });
  say("replicating", at);
  expect(await look()).toMatchObject({ state: "ok" });
});

it("is unknown while Litestream doesn't answer or says something else, and keeps the last success", async () => {
  expect(await look()).toMatchObject({ state: "unknown", lastSuccessAt: null, lagMs: null });
  await listen();
  say("replicating", at);
  const success = at;
  expect(await look()).toMatchObject({ state: "ok" });
  for (const other of ["<html>", "{}", `{"databases":[]}`, `{"databases":"${"x".repeat(200_000)}"}`]) {
    answer = other;
    expect(await look()).toMatchObject({ state: "unknown", lastSuccessAt: success });
    expect(problem()).toContain("Litestream doesn't answer");
  }
});

it("doesn't ask again within a second, nor without an address", async () => {
  await listen();
  say("replicating", at);
  const first = await look();
  say("stopped");
  expect(await readReplica()).toBe(first);
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
  expect(await readReplica()).toBeUndefined();
});
