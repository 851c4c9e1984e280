import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { UploadedAttachment } from "~/work/chat/attachments/attachments.schema";
import { FOLDERS } from "../support/database";
import { killWhen, lookInto } from "../support/faults";
import { addPeople } from "../support/people";
import { TestServer } from "../support/server";
import { startS3Server } from "../support/source-servers";

let store: Awaited<ReturnType<typeof startS3Server>>;
let server: TestServer;
const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(FOLDERS, "quarterdeck-files-"));
  folders.push(folder);
  return folder;
};
const KEYS = {
  AUDIT_KEY: "the audit key of both machines, 32 characters",
  SESSION_SECRET: "the session secret of both, 32 characters",
};
let sessions: Awaited<ReturnType<typeof addPeople>>;

beforeAll(async () => {
  store = await startS3Server();
  const dataDir = newFolder();
  sessions = await addPeople(dataDir, KEYS.AUDIT_KEY);
  server = new TestServer(dataDir, { ...KEYS, ...store.env }, sessions);
  await server.start();
});
afterAll(async () => {
  await server?.close();
  await store?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function upload(count: number): Promise<string[]> {
  const body = new FormData();
  for (let at = 0; at < count; at++)
    body.append("files", new Blob([`Text ${at} ${"of an attachment ".repeat(1000)}`]), `${at}.txt`);
  const response = await server.ask("/api/attachments", { as: "member", body });
  expect(response.status).toBe(201);
  return ((await response.json()) as UploadedAttachment[]).map(({ attachment }) => attachment?.id ?? "");
}

const readiness = async () =>
  (await (await server.ask("/readyz")).json()) as { checks: Record<string, string> };
const states = () =>
  lookInto(server, (raw) => raw.prepare("SELECT DISTINCT state FROM stored_files").pluck().all());

it("copies files on after a kill, each once, and a new machine with an empty folder has them", async () => {
  const ids = await upload(10);
  await killWhen(server, "SELECT 1 FROM stored_files WHERE state = 'copied'");
  const files = readdirSync(join(server.dataDir, "attachments")).sort();
  expect(files).toHaveLength(10);
  await server.start();
  await expect.poll(states).toEqual(["copied"]);
  expect((await store.list("files")).sort()).toEqual(files.map((name) => `files/${name}`));
  expect((await readiness()).checks.files).toBe("ok");

  // The database alone, as a replica restores it.
  const { dataDir } = server;
  await server.stop();
  const machine = newFolder();
  cpSync(join(dataDir, "quarterdeck.sqlite"), join(machine, "quarterdeck.sqlite"));
  server = new TestServer(
    machine,
    { ...KEYS, ...store.env, STANDBY: "1", LITESTREAM_URL: "file:///new" },
    sessions,
  );
  await server.start();
  const held = await server.ask(`/api/attachments/${ids[3]}/content`, { as: "member" });
  expect([held.status, (await held.text()).slice(0, 9)]).toEqual([200, "Text 3 of"]);
  await server.stop();

  server = new TestServer(machine, { ...KEYS, ...store.env }, sessions);
  await server.start();
  await expect.poll(() => readdirSync(join(machine, "attachments")).sort()).toEqual(files);
  const found = await server.ask("/api/system/check", { method: "POST", as: "owner" });
  expect(found.status).toBe(202);
});

it("says on System, in its readiness and its metrics that the place is away, and catches up", async () => {
  const { dataDir } = server;
  await server.stop();
  const away = { ...store.env, FILES_S3_BUCKET: "unknown/files" };
  server = new TestServer(dataDir, { ...KEYS, ...away }, sessions);
  await server.start();
  const token = await server.createToken("owner", ["metrics.read"]);
  const body = new FormData();
  body.append("files", new Blob(["It waits"]), "waits.txt");
  expect((await server.ask("/api/attachments", { as: "member", body })).status).toBe(201);
  await expect.poll(async () => (await readiness()).checks.files).toBe("degraded");
  expect((await server.ask("/readyz")).status).toBe(200);
  const system = await (await server.ask("/settings/system", { as: "owner" })).text();
  expect(system).toContain("Files aren&#x27;t copied");
  expect(system).toContain("has no bucket named unknown.");
  expect(await (await server.ask("/metrics", { token })).text()).toMatch(/^quarterdeck_files_waiting 1$/m);

  await server.stop();
  server = new TestServer(dataDir, { ...KEYS, ...store.env }, sessions);
  await server.start();
  await expect.poll(async () => (await readiness()).checks.files).toBe("ok");
  await expect.poll(() => store.list("files")).toHaveLength(11);
});
