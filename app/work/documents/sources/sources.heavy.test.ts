import { execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { now, setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { setEnv } from "~/core/env.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { isWholeMatrix } from "../../../../tests/support/attack";
import { openTestDatabase } from "../../../../tests/support/database";
import { startMockServer } from "../../../../tests/support/mock-server";
import {
  S3_KEY,
  S3_VERIFIES,
  startGitServer,
  startS3Server,
  startWebdavServer,
  temporaryFolder,
  writeFiles,
} from "../../../../tests/support/source-servers";
import { documentJobs } from "../documents.jobs.server";
import { getDocument } from "../documents.service.server";
import { deleteDocument } from "../removal/document-removal.service.server";
import { ownedSources } from "./owned-sources.service.server";
import type { SourceInput } from "./source.schema";
import { sourceJobs } from "./sources.jobs.server";
import {
  cancelSync,
  changeSource,
  createSource,
  deleteSource,
  getSource,
  listSourceFiles,
  listSources,
  sourceKeyUses,
  startSync,
} from "./sources.service.server";

const column = (sql: string) => rawDatabase().prepare(sql).pluck().all();
const visibleNames = () => column("SELECT source FROM documents WHERE deleted_at IS NULL ORDER BY source");

let test: ReturnType<typeof openTestDatabase>;
let folder: string;
let stop: () => Promise<void>;
let undo: (() => unknown)[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  test = openTestDatabase({ SOURCE_FOLDERS: `handbook=${folder}` });
  stop = startJobs([...documentJobs, ...sourceJobs]);
});
afterEach(async () => {
  await stop();
  for (const end of undo) await end();
  undo = [];
  setClock();
  test.close();
  rmSync(folder, { recursive: true, force: true });
});

afterAll(closeWorkerPools);

/** Waits for documents, and for syncs that are due. */
async function whenSynced() {
  const due =
    "subject IS NOT NULL AND (state IN ('queued', 'running') OR state = 'scheduled' AND run_at <= ?)";
  const count = rawDatabase().prepare(`SELECT count(*) FROM jobs WHERE ${due}`).pluck();
  await expect.poll(() => count.get(now())).toBe(0);
}

/** Adds a source and waits for its first sync. */
async function added(input: Partial<SourceInput>) {
  const { id } = await createSource(test.actors.admin, {
    kind: "folder",
    name: "Handbook",
    folder: "handbook",
    ...input,
  });
  await whenSynced();
  return id;
}

function passDays(days: number): void {
  setClock(() => Date.now() + days * DAY);
  wakeDispatcher();
}

async function synced(id: string) {
  await startSync(test.actors.admin, id);
  await whenSynced();
  return getSource(test.actors.admin, id);
}

const filesOf = (id: string) =>
  Object.fromEntries(
    listSourceFiles(test.actors.admin, id, { limit: 200 }).files.map(({ path, state, reason }) => [
      path,
      reason ?? state,
    ]),
  );

function keyFor(origin: string, value: string): string {
  process.env.QUARTERDECK_KEY_SOURCE = value;
  undo.push(() => {
    delete process.env.QUARTERDECK_KEY_SOURCE;
  });
  return addKey(test.actors.owner, { provider: "source", alias: "QUARTERDECK_KEY_SOURCE", origin }).id;
}

import { strToU8, zipSync } from "fflate";

/** An archive with one text. */
const ZIP = () => zipSync({ "a.txt": strToU8("One") });

const GUIDE = "# Anchors\n\nThe anchor weighs forty kilograms.\n";

describe("a folder on the server", () => {
  it("becomes documents, which follow its files", async () => {
    writeFiles(folder, {
      "guide.md": GUIDE,
      "ops/backup.txt": "Backups run at night.",
      "photo.png": "PNG",
      "empty.txt": "",
    });
    const id = await added({ graceDays: 2 });
    expect(visibleNames()).toEqual(["guide.md", "ops/backup.txt"]);
    expect(column("SELECT status FROM documents")).toEqual(["ready", "ready"]);
    expect(await getSource(test.actors.admin, id)).toMatchObject({
      files: { current: 2, skipped: 2, failed: 0, missing: 0 },
      lastSync: { added: 2, updated: 0, removed: 0, skipped: 2, error: null, isComplete: true },
    });
    const [guide = ""] = column("SELECT id FROM documents WHERE source = 'guide.md'") as string[];
    expect(getDocument(test.actors.viewer, guide).origin).toEqual({
      id,
      name: "Handbook",
      path: "guide.md",
      link: null,
    });

    writeFiles(folder, { "guide.md": `${GUIDE}It is painted red.\n`, "new.txt": "A new page." });
    rmSync(join(folder, "ops/backup.txt"));
    const after = await synced(id);
    expect(after).toMatchObject({
      files: { missing: 1 },
      lastSync: { added: 1, updated: 1, removed: 0, skipped: 2, unchanged: 0 },
    });
    expect(getDocument(test.actors.viewer, guide).content).toContain("painted red");
    expect(visibleNames()).toEqual(["guide.md", "new.txt", "ops/backup.txt"]);

    passDays(3);
    expect(await synced(id)).toMatchObject({ lastSync: { removed: 1, unchanged: 2 } });
    expect(visibleNames()).toEqual(["guide.md", "new.txt"]);
    expect(listAudit(test.actors.owner, { limit: 50 }).entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        "source.created",
        "source.sync_requested",
        "source.synced",
        "document.deleted",
      ]),
    );
  });

  it("is counted in a thread", async () => {
    writeFiles(folder, { "guide.md": GUIDE });
    const id = await added({});
    const prepared = vi.spyOn(rawDatabase(), "prepare");
    expect(await listSources(test.actors.admin)).toMatchObject([{ id, files: { current: 1 } }]);
    expect(prepared.mock.calls.filter(([sql]) => /count\(.*source_files/s.test(sql))).toEqual([]);
    prepared.mockRestore();
  });

  it("says of a file whose document can't be read that it failed, and why", async () => {
    writeFiles(folder, { "guide.md": GUIDE, "broken.pdf": "%PDF-1.7 and nothing else" });
    const id = await added({});
    expect(filesOf(id)).toEqual({ "guide.md": "current", "broken.pdf": expect.stringMatching(/PDF/) });
    expect((await getSource(test.actors.admin, id)).files).toMatchObject({ current: 1, failed: 1 });
    const failed = listSourceFiles(test.actors.admin, id, { state: "failed", limit: 10 }).files;
    expect(failed.map(({ path, state }) => [path, state])).toEqual([["broken.pdf", "failed"]]);
  });

  it("lists files whose names can't be used", async () => {
    const long = `${`${"x".repeat(200)}/`.repeat(6)}a.txt`;
    writeFiles(folder, { "guide.md": GUIDE, "odd/line\nbreak.txt": "One", [long]: "Two" });
    const id = await added({});
    const listed = {
      "guide.md": "current",
      "odd/line\ufffdbreak.txt": "Its name can't be used",
      [long.slice(0, 1000)]: "Its name can't be used",
    };
    expect(filesOf(id)).toEqual(listed);
    expect(await synced(id)).toMatchObject({ files: { current: 1, skipped: 2 } });
    expect(filesOf(id)).toEqual(listed);
  });

  it("takes what a form leaves blank for its defaults", async () => {
    writeFiles(folder, { "guide.md": GUIDE });
    const id = await added({ branch: undefined, prefix: undefined, username: undefined, keyId: undefined });
    expect(visibleNames()).toEqual(["guide.md"]);
    expect(await getSource(test.actors.admin, id)).toMatchObject({ branch: "", prefix: "" });
  });

  it("doesn't read unchanged files again, nor bring back what was deleted by hand until it changes", async () => {
    writeFiles(folder, { "a.txt": "One", "b.txt": "Two" });
    const id = await added({});
    const [a = ""] = column("SELECT id FROM documents WHERE source = 'a.txt'") as string[];
    deleteDocument(test.actors.admin, a);
    expect(await synced(id)).toMatchObject({ lastSync: { added: 0, updated: 0, unchanged: 2 } });
    expect(visibleNames()).toEqual(["b.txt"]);
    writeFiles(folder, { "a.txt": "One, changed" });
    await synced(id);
    expect(visibleNames()).toEqual(["a.txt", "b.txt"]);
  });

  it("fails while there are no files at all, as where nothing is mounted, and removes nothing", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({ graceDays: 0 });
    rmSync(join(folder, "a.txt"));
    expect((await synced(id)).lastSync?.error).toContain("nothing was removed");
    expect(visibleNames()).toEqual(["a.txt"]);
    writeFiles(folder, { "a.txt": "One" });
    expect(await synced(id)).toMatchObject({ files: { missing: 0, current: 1 }, lastSync: { error: null } });
    // What was deleted by hand needs no keeping.
    const [a = ""] = column("SELECT id FROM documents") as string[];
    deleteDocument(test.actors.admin, a);
    rmSync(join(folder, "a.txt"));
    expect((await synced(id)).lastSync?.error).toBeNull();
  });

  it("goes on after a folder that can't be read, and counts nothing as removed meanwhile", async () => {
    writeFiles(folder, { "a.txt": "One", "b.txt": "Two" });
    const id = await added({ graceDays: 0 });
    // Not UTF-8, so that it can't be opened by the name that is read.
    const odd = Buffer.from(`${folder}/odd-\xff`, "latin1");
    mkdirSync(odd);
    rmSync(join(folder, "a.txt"));
    writeFiles(folder, { "sub/c.txt": "Three" });
    expect(await synced(id)).toMatchObject({
      lastSync: { error: null, added: 1, removed: 0, skipped: 1, isComplete: false },
    });
    expect(filesOf(id)).toMatchObject({ "odd-\ufffd": "This folder can't be read" });
    expect(visibleNames()).toEqual(["a.txt", "b.txt", "sub/c.txt"]);
    rmdirSync(odd);
    expect(await synced(id)).toMatchObject({ lastSync: { removed: 1, skipped: 0, isComplete: true } });
    expect(visibleNames()).toEqual(["b.txt", "sub/c.txt"]);
    expect(Object.keys(filesOf(id))).not.toContain("odd-\ufffd");
  });

  it("keeps a file that comes back within the grace time", async () => {
    writeFiles(folder, { "a.txt": "One", "b.txt": "Two" });
    const id = await added({ graceDays: 1 });
    rmSync(join(folder, "a.txt"));
    expect((await synced(id)).files.missing).toBe(1);
    writeFiles(folder, { "a.txt": "One" });
    passDays(2);
    expect(await synced(id)).toMatchObject({ files: { missing: 0, current: 2 }, lastSync: { removed: 0 } });
  });

  it("follows no links, and takes names that differ by case or normalization for different files", async () => {
    const outside = temporaryFolder();
    undo.push(() => rmSync(outside, { recursive: true, force: true }));
    writeFiles(outside, { "secret.txt": "A secret" });
    symlinkSync(join(outside, "secret.txt"), join(folder, "link.txt"));
    symlinkSync(outside, join(folder, "linked"));
    symlinkSync(folder, join(folder, "loop"));
    writeFiles(folder, {
      "Menu.txt": "Upper",
      "menu.txt": "Lower",
      "caf\u00e9.txt": "NFC",
      "cafe\u0301.txt": "NFD",
    });
    await added({});
    expect(column("SELECT count(*) FROM documents WHERE status = 'ready'")).toEqual([4]);
    expect(visibleNames()).toEqual(["Menu.txt", "cafe\u0301.txt", "caf\u00e9.txt", "menu.txt"]);
  });

  it("counts nothing as removed beyond its limit of files, and skips what is beyond its limit of bytes", async () => {
    writeFiles(folder, { "a.txt": "One", "b.txt": "Two", "c.txt": "Three" });
    const id = await added({ graceDays: 0 });
    await changeSource(test.actors.admin, id, { maxFiles: 1 });
    await whenSynced();
    expect((await getSource(test.actors.admin, id)).lastSync).toMatchObject({
      isComplete: false,
      removed: 0,
    });
    expect(visibleNames()).toHaveLength(3);
    writeFiles(folder, { "d.txt": "x".repeat(1_200_000) });
    await changeSource(test.actors.admin, id, { maxFiles: 10, maxMb: 1 });
    await whenSynced();
    expect(filesOf(id)["d.txt"]).toBe("The source has more than its limit of 1 MB");
  });

  it("counts only what it reads toward its limit of bytes", async () => {
    const big = "x".repeat(1_200_000);
    writeFiles(folder, { "a.png": big, "b.txt": "One", "c.txt": big, "d.txt": "Two" });
    const id = await added({ maxMb: 1 });
    const listed = {
      "a.png": expect.stringMatching(/not supported/),
      "b.txt": "current",
      "c.txt": "The source has more than its limit of 1 MB",
      "d.txt": "current",
    };
    expect(filesOf(id)).toEqual(listed);
    writeFiles(folder, { "d.txt": "Two, changed" });
    expect(await synced(id)).toMatchObject({ lastSync: { updated: 1, unchanged: 1, skipped: 2 } });
    expect(filesOf(id)).toEqual(listed);
  });

  it("refuses archives, whose files would have no source", async () => {
    const id = await added({});
    writeFiles(folder, { "files.zip": ZIP() });
    await synced(id);
    expect(column("SELECT error FROM documents")).toEqual([expect.stringMatching(/archive/i)]);
  });

  it("goes on after the process was killed in the middle of a file", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({ sync: "off" });
    // What a kill leaves: a document without content, and a file without a state.
    rawDatabase().exec("UPDATE source_files SET etag = NULL, state = 'failed'");
    writeFiles(folder, { "a.txt": "One, at last" });
    expect(await synced(id)).toMatchObject({ lastSync: { added: 0, updated: 1 } });
    expect(visibleNames()).toEqual(["a.txt"]);
  });

  it("fails while the folder isn't there, and removes nothing", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({ graceDays: 0 });
    setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder });
    await startSync(test.actors.admin, id);
    await whenSynced();
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toContain("SOURCE_FOLDERS");
    expect(visibleNames()).toEqual(["a.txt"]);
  });
});

describe("a sync", () => {
  const listing = (names: readonly string[]) =>
    `<ListBucketResult>${names.map((name) => `<Contents><Key>${name}</Key><ETag>1</ETag><Size>3</Size></Contents>`).join("")}</ListBucketResult>`;

  /** Public storage whose files answer with their status. */
  async function startStorage(statuses: Record<string, number>) {
    const server = await startMockServer((request, response) => {
      const name = request.url?.match(/^\/b\/([^?]+)/)?.[1];
      if (name === undefined) response.end(listing(Object.keys(statuses)));
      else response.writeHead(statuses[name] ?? 404).end(`The text of ${name}`);
    });
    undo.push(server.close);
    const asked = () => server.requests.flatMap(({ url }) => url.match(/^\/b\/([^?]+)/)?.[1] ?? []);
    return { origin: server.origin, statuses, asked };
  }

  it("starts by itself at its schedule's time", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({ sync: "hourly" });
    const first = await getSource(test.actors.admin, id);
    writeFiles(folder, { "b.txt": "Two" });
    passDays(1);
    await expect.poll(visibleNames).toEqual(["a.txt", "b.txt"]);
    await whenSynced();
    const second = await getSource(test.actors.admin, id);
    expect(second.lastSync).toMatchObject({ added: 1, unchanged: 1, error: null });
    expect(Date.parse(second.nextSyncAt ?? "")).toBeGreaterThan(Date.parse(first.nextSyncAt ?? ""));
  });

  it("goes on after a file that can't be fetched, which the next one fetches", async () => {
    const { origin, statuses, asked } = await startStorage({
      "a.txt": 200,
      "b.txt": 500,
      "c.txt": 403,
      "d.txt": 200,
    });
    const id = await added({ kind: "s3", address: origin, bucket: "b" });
    expect(await getSource(test.actors.admin, id)).toMatchObject({
      lastSync: { error: null, added: 2, failed: 2 },
      files: { current: 2, failed: 2 },
    });
    expect(filesOf(id)).toMatchObject({
      "a.txt": "current",
      "b.txt": expect.stringContaining("HTTP 500"),
      "c.txt": expect.stringContaining("it may not read this (HTTP 403)"),
    });
    for (const name of ["b.txt", "c.txt"]) statuses[name] = 200;
    const before = asked().length;
    expect(await synced(id)).toMatchObject({ lastSync: { added: 2, failed: 0 }, files: { current: 4 } });
    expect(asked().slice(before)).toEqual(["b.txt", "c.txt"]);
  });

  it("ends at the fifth failure in a row, and removes nothing", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `${at}.txt`);
    const { origin, statuses, asked } = await startStorage(
      Object.fromEntries(names.map((name) => [name, 200])),
    );
    const id = await added({ kind: "s3", address: origin, bucket: "b", graceDays: 0 });
    expect(visibleNames()).toEqual(names);
    rawDatabase().exec("UPDATE source_files SET etag = 'old'");
    for (const name of names.slice(2)) statuses[name] = 500;
    delete statuses["7.txt"];
    const before = asked().length;
    const { lastSync } = await synced(id);
    expect(lastSync?.error).toMatch(/^5 files in a row failed\. The last one: .* HTTP 500\.$/);
    expect(asked().slice(before)).toEqual(["0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"]);
    expect(visibleNames()).toEqual(names);
  });

  it("goes on past files whose documents are still being read", async () => {
    const names = Array.from({ length: 6 }, (_, at) => `${at}.txt`);
    const texts = (text: string) => Object.fromEntries(names.map((name) => [name, `${text} ${name}`]));
    writeFiles(folder, texts("One"));
    await stop();
    // Without those that read documents.
    stop = startJobs(sourceJobs);
    const { id } = await createSource(test.actors.admin, {
      kind: "folder",
      name: "Handbook",
      folder: "handbook",
    });
    await expect
      .poll(async () => (await getSource(test.actors.admin, id)).lastSync)
      .toMatchObject({ added: 6 });
    writeFiles(folder, { ...texts("Another"), "new.txt": "New" });
    await startSync(test.actors.admin, id);
    await expect.poll(async () => (await getSource(test.actors.admin, id)).lastSync?.failed).toBe(6);
    expect((await getSource(test.actors.admin, id)).lastSync).toMatchObject({ error: null, added: 1 });
    await stop();
    stop = startJobs([...documentJobs, ...sourceJobs]);
    await whenSynced();
    expect(await synced(id)).toMatchObject({ lastSync: { updated: 6, unchanged: 1, failed: 0 } });
  });

  it.each([
    ["s3", { bucket: "b" }],
    ["git", {}],
    ["webdav", {}],
  ] as const)("of the kind %s asks no metadata service", async (kind, more) => {
    const id = await added({ kind, address: "https://169.254.169.254/latest", ...more });
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toMatch(
      /169\.254\.169\.254 was refused: it is a link-local address, which is never allowed/,
    );
  });
});

describe("a source's people", () => {
  it("gives its documents the visibility that its owner chose, also later", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({ visibility: "named", readers: ["usr_member"] });
    expect(column("SELECT visibility FROM documents")).toEqual(["named"]);
    expect(column("SELECT user_id FROM document_readers")).toEqual(["usr_member"]);
    expect(await listSources(test.actors.owner)).toEqual([]);
    await changeSource(test.actors.admin, id, { visibility: "organisation" });
    await whenSynced();
    expect(column("SELECT visibility FROM documents")).toEqual(["organisation"]);
    expect(await listSources(test.actors.owner)).toHaveLength(1);
  });

  it("is seen by fewer people without a sync, as the person who changed it may, also after a kill", async () => {
    writeFiles(folder, { "a.txt": "One", "b.txt": "Two" });
    const id = await added({});
    rawDatabase().exec("UPDATE users SET role = 'viewer' WHERE id = 'usr_admin'");
    await stop();
    await changeSource(test.actors.owner, id, { visibility: "named", readers: ["usr_member"] });
    stop = startJobs([...documentJobs, ...sourceJobs.filter(({ kind }) => kind !== "sources.sync")]);
    await expect.poll(() => column("SELECT visibility FROM documents")).toEqual(["named", "named"]);
    expect(column("SELECT user_id FROM document_readers")).toEqual(["usr_member", "usr_member"]);
    await expect.poll(() => column("SELECT is_retargeted FROM sources")).toEqual([0]);
    const changes = listAudit(test.actors.owner, { limit: 50 }).entries.filter(
      ({ action }) => action === "document.updated",
    );
    expect(changes.map(({ userId }) => userId)).toEqual(["usr_owner", "usr_owner"]);
  });

  it("is changed again before the first change has reached its documents", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({});
    await stop();
    await changeSource(test.actors.admin, id, { visibility: "named", readers: ["usr_member"] });
    await changeSource(test.actors.admin, id, { readers: ["usr_viewer"] });
    stop = startJobs([...documentJobs, ...sourceJobs]);
    await whenSynced();
    expect(column("SELECT user_id FROM document_readers")).toEqual(["usr_viewer"]);
  });

  it("stops syncing for an owner who may no longer manage sources, and goes on for the recipient", async () => {
    writeFiles(folder, { "a.txt": "One" });
    const id = await added({});
    rawDatabase().exec("UPDATE users SET role = 'viewer' WHERE id = 'usr_admin'");
    await startSync(test.actors.owner, id);
    await whenSynced();
    expect((await getSource(test.actors.owner, id)).lastSync?.error).toContain("can no longer manage");
    const owner = { orgId: test.actors.admin.orgId, userId: "usr_admin" };
    expect(ownedSources.count(db(), owner)).toBe(1);
    const after: (() => void)[] = [];
    transaction((tx) => ownedSources.apply(tx, owner, { recipient: "usr_owner" }, 10, after));
    for (const run of after) run();
    await startSync(test.actors.owner, id);
    await whenSynced();
    expect(await getSource(test.actors.owner, id)).toMatchObject({
      owner: { id: "usr_owner" },
      lastSync: { error: null },
    });
  });

  it("is deleted with its documents, or without", async () => {
    writeFiles(folder, { "a.txt": "One" });
    await deleteSource(test.actors.admin, await added({}), { documents: "keep" });
    expect(visibleNames()).toEqual(["a.txt"]);
    await deleteSource(test.actors.admin, await added({}), { documents: "delete" });
    expect(visibleNames()).toEqual(["a.txt"]);
    expect(column("SELECT count(*) FROM sources")).toEqual([0]);
    expect(column("SELECT count(*) FROM source_files")).toEqual([0]);
  });

  it("can cancel a sync that hangs, and then syncs at its next time", async () => {
    const server = await startMockServer(() => undefined);
    undo.push(server.close);
    const { admin } = test.actors;
    const { id } = await createSource(admin, {
      kind: "webdav",
      name: "Slow",
      address: server.origin,
      sync: "hourly",
    });
    await expect.poll(() => server.requests.length).toBe(1);
    expect(await cancelSync(admin, id)).toMatchObject({
      progress: null,
      lastSync: null,
      nextSyncAt: expect.any(String),
    });
    await expect(changeSource(admin, id, { graceDays: 91 })).rejects.toThrow();
    await changeSource(admin, id, { name: "Slower" });
    await deleteSource(admin, id, { documents: "keep" });
    expect(
      listAudit(test.actors.owner, { limit: 10 })
        .entries.map(({ action }) => action)
        .filter((action) => action.startsWith("source.")),
    ).toEqual(["source.deleted", "source.updated", "source.sync_canceled", "source.created"]);
  });

  it("is managed by admins, with keys of its own kind only", async () => {
    await expect(
      createSource(test.actors.member, { kind: "folder", name: "A", folder: "handbook" }),
    ).rejects.toThrow(expect.objectContaining({ code: "forbidden" }));
    const field = (input: Partial<SourceInput>, name: string) =>
      expect(createSource(test.actors.admin, { kind: "folder", name: "A", ...input })).rejects.toThrow(
        expect.objectContaining({ fields: { [name]: [expect.any(String)] } }),
      );
    await field({ folder: "constructor" }, "folder");
    await field({ kind: "git" }, "address");
    for (const host of ["git.example", "10.0.0.7", "127.0.0.1.example", "localhost.example"])
      await field({ kind: "git", address: `http://${host}/handbook.git` }, "address");
    await field({ kind: "git", address: "https://git.example", keyId: "key_none" }, "keyId");
    const keyId = keyFor("https://other.example", "x");
    await field({ kind: "git", address: "https://git.example", keyId }, "keyId");
    await field({ kind: "s3", address: "https://s3.example", bucket: "b", accessKeyId: "A" }, "accessKeyId");
  });
});

describe("a Git repository", () => {
  it("is fetched from Git's own server, by its newest commit, and only when that changed", async () => {
    const server = await startGitServer("a token");
    undo.push(server.close);
    server.commit({ "README.md": GUIDE, "docs/a.txt": "One", "docs/b.txt": "Two" });
    symlinkSync("README.md", join(server.work, "docs/link.md"));
    server.commit({});
    const keyId = keyFor(server.origin, "a token");
    const id = await added({ kind: "git", address: server.address, prefix: "docs", keyId });
    expect((await getSource(test.actors.admin, id)).lastSync).toMatchObject({ error: null, added: 2 });
    expect(visibleNames()).toEqual(["a.txt", "b.txt"]);
    expect(sourceKeyUses(test.actors.admin.orgId)).toMatchObject([{ keyId, name: "Handbook" }]);
    // Nothing is unpacked for the same commit.
    expect(await synced(id)).toMatchObject({ lastSync: { unchanged: 0, added: 0 } });
    server.commit({ "docs/a.txt": "One, changed" });
    expect(await synced(id)).toMatchObject({ lastSync: { unchanged: 1, updated: 1 } });
    server.git("checkout", "-q", "-b", "next");
    server.commit({ "docs/c.txt": "Three" });
    await changeSource(test.actors.admin, id, { branch: "next" });
    await whenSynced();
    expect(visibleNames()).toEqual(["a.txt", "b.txt", "c.txt"]);
  });

  it("goes back to a commit after a sync of the next one ended half way", async () => {
    const server = await startGitServer("a token");
    undo.push(server.close);
    server.commit({ "a.txt": "One", "b.txt": "Two" });
    const keyId = keyFor(server.origin, "a token");
    const id = await added({ kind: "git", address: server.address, keyId });
    server.commit({ "a.txt": "One, changed", "b.txt": "Two, changed" });
    rawDatabase().exec(
      "CREATE TRIGGER half BEFORE UPDATE ON source_files WHEN new.path = 'b.txt' BEGIN SELECT RAISE(ABORT, 'half'); END",
    );
    await startSync(test.actors.admin, id);
    const textOf = () => column("SELECT excerpt FROM documents WHERE source = 'a.txt'");
    await expect.poll(textOf).toEqual(["One, changed"]);
    await whenSynced();
    expect(await cancelSync(test.actors.admin, id)).toMatchObject({ progress: null });
    rawDatabase().exec("DROP TRIGGER half");
    server.git("reset", "-q", "--hard", "HEAD~1");
    expect(await synced(id)).toMatchObject({ lastSync: { error: null, updated: 1 } });
    expect(textOf()).toEqual(["One"]);
  });

  it("says what is wrong with its key, branch, folder or address", async () => {
    const server = await startGitServer("a token");
    undo.push(server.close);
    server.commit({ "a.txt": "One" });
    const keyId = keyFor(server.origin, "wrong");
    const id = await added({ kind: "git", address: server.address, keyId });
    const errorOf = async () => (await getSource(test.actors.admin, id)).lastSync?.error;
    expect(await errorOf()).toContain("refused the key");
    process.env.QUARTERDECK_KEY_SOURCE = "a token";
    for (const [patch, error] of [
      [{ branch: "none" }, "The branch isn't in the repository"],
      [{ branch: "", prefix: "none" }, "The folder isn't in the repository"],
      [{ prefix: "", address: `${server.origin}/other` }, "has no such file or folder"],
    ] as const) {
      await changeSource(test.actors.admin, id, patch);
      await whenSynced();
      expect(await errorOf()).toContain(error);
    }
  });

  it("is followed elsewhere only where the egress guard allows it, and without its token", async () => {
    const inner = await startMockServer((_, response) => response.end("A secret"));
    const server = await startMockServer((request, response) =>
      response.writeHead(302, { location: `${inner.origin}${request.url}` }).end(),
    );
    undo.push(inner.close, server.close);
    const keyId = keyFor(server.origin, "a token");
    const id = await added({ kind: "git", address: `${server.origin}/handbook.git`, keyId });
    const errorOf = async () => (await getSource(test.actors.admin, id)).lastSync?.error;
    expect(await errorOf()).toContain("was refused: it is a loopback address");
    expect(inner.requests).toEqual([]);
    const settings = { NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: test.folder } as const;
    setEnv({ ...settings, EGRESS_ALLOW: `127.0.0.1:${inner.port}` });
    await synced(id);
    expect(await errorOf()).toContain("has no Git repository at this address");
    expect([server, inner].map(({ requests }) => requests.at(-1)?.headers.authorization)).toEqual([
      expect.stringMatching(/^Basic /),
      undefined,
    ]);
  });

  it("is refused if its trees name one tree many times", async () => {
    const server = await startGitServer("a token");
    undo.push(server.close);
    server.commit({ "a.txt": "One" });
    const git = (args: string[], input = "") =>
      execFileSync("git", ["-C", server.work, ...args], { input })
        .toString()
        .trim();
    // Without a file, of which it would have too many first.
    let tree = git(["mktree"]);
    for (let depth = 0; depth < 30; depth++)
      tree = git(
        ["mktree"],
        Array.from({ length: 300 }, (_, at) => `040000 tree ${tree}\tf${at}\n`).join(""),
      );
    const person = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    git(["update-ref", "refs/heads/main", git([...person, "commit-tree", tree, "-m", "Bomb"])]);
    const keyId = keyFor(server.origin, "a token");
    const id = await added({ kind: "git", address: server.address, keyId });
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toBe(
      "The repository has too many folders.",
    );
    expect(visibleNames()).toEqual([]);
  });

  it.runIf(isWholeMatrix)("can't fill the memory by what it unpacks to", async () => {
    const server = await startGitServer("a token");
    undo.push(server.close);
    server.commit({ "bomb.txt": Buffer.alloc(900_000_000), "a.txt": "One" });
    const keyId = keyFor(server.origin, "a token");
    const id = await added({ kind: "git", address: server.address, keyId });
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toMatch(/too much memory|damaged data/);
    expect(visibleNames()).toEqual([]);
  });
});

describe("S3-compatible storage", () => {
  it("is listed below its folder with its key, page by page", async () => {
    const server = await startS3Server();
    undo.push(server.close);
    await server.put("docs/a b+c&d.txt", "One");
    await server.put("docs/sub/\u00fc.md", GUIDE);
    await server.put("other.txt", "Elsewhere");
    const keyId = keyFor(server.address, S3_KEY);
    const id = await added({
      ...{ kind: "s3", address: server.address, bucket: "handbook", prefix: "docs" },
      ...{ accessKeyId: S3_KEY, keyId, graceDays: 0 },
    });
    expect((await getSource(test.actors.admin, id)).lastSync).toMatchObject({
      error: null,
      added: 2,
      failed: 0,
    });
    expect(visibleNames()).toEqual(["a b+c&d.txt", "sub/\u00fc.md"]);
    await server.put("docs/sub/\u00fc.md", `${GUIDE}More.\n`);
    await server.remove("docs/a b+c&d.txt");
    expect(await synced(id)).toMatchObject({ lastSync: { updated: 1, removed: 1 } });
    // s3rver takes any secret of a known key.
    if (S3_VERIFIES) process.env.QUARTERDECK_KEY_SOURCE = "wrong";
    else await changeSource(test.actors.admin, id, { accessKeyId: "UNKNOWN" });
    if (S3_VERIFIES) await startSync(test.actors.admin, id);
    await whenSynced();
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toContain("refused the key");
  });

  it("follows no redirect, which could lead its key or the console elsewhere", async () => {
    const inner = await startMockServer((_, response) => response.end("A secret"));
    const server = await startMockServer((_, response) =>
      response.writeHead(307, { location: inner.origin }).end(),
    );
    undo.push(inner.close, server.close);
    const id = await added({ kind: "s3", address: server.origin, bucket: "b" });
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toContain(
      "redirects, which isn't allowed here",
    );
    expect(inner.requests).toEqual([]);
  });

  it("refuses hostile listings: names that lead out, endless pages, bombs", async () => {
    let answer = "";
    const server = await startMockServer((_, response) => response.end(answer));
    undo.push(server.close);
    const contents = (...keys: string[]) =>
      keys.map((key) => `<Contents><Key>${key}</Key><ETag>1</ETag><Size>3</Size></Contents>`).join("");
    answer = `<ListBucketResult>${contents("../../etc/passwd", "a//b", "ok.txt", "x\\y.txt")}</ListBucketResult>`;
    const id = await added({ kind: "s3", address: server.origin, bucket: "b" });
    expect(filesOf(id)).toMatchObject({
      "../../etc/passwd": "Its name can't be used",
      "x\\y.txt": "Its name can't be used",
    });
    for (const [listing, error] of [
      [
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>`,
        "lists the same files again",
      ],
      [
        `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ListBucketResult>${contents("&b;")}</ListBucketResult>`,
        "not well-formed XML",
      ],
      [`<ListBucketResult>${"<a>".repeat(100)}`, "nested too deeply"],
      ["<html></html>", "is not a list of files"],
    ] as const) {
      answer = listing;
      expect((await synced(id)).lastSync?.error).toContain(error);
    }
  });
});

describe("a WebDAV server", () => {
  it("is listed folder by folder with its password", async () => {
    const server = await startWebdavServer("a password");
    undo.push(server.close);
    writeFiles(server.folder, { "a b.txt": "One", "sub/deep/\u00fc 1.md": GUIDE });
    const { origin } = new URL(server.address);
    const keyId = keyFor(origin, "a password");
    const id = await added({
      kind: "webdav",
      address: server.address,
      username: "anna",
      keyId,
      graceDays: 0,
    });
    expect(Object.values(filesOf(id))).toEqual(["current", "current"]);
    expect(visibleNames()).toEqual(["a b.txt", "sub/deep/\u00fc 1.md"]);
    expect(listSourceFiles(test.actors.admin, id, { limit: 5 }).files.map(({ link }) => link)).toContain(
      `${server.address}/a%20b.txt`,
    );
    rmSync(join(server.folder, "a b.txt"));
    expect(await synced(id)).toMatchObject({ lastSync: { removed: 1, unchanged: 1 } });
    process.env.QUARTERDECK_KEY_SOURCE = "wrong";
    expect((await synced(id)).lastSync?.error).toContain("refused the key");
  });

  const listed = (href: string) =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getetag>1</d:getetag></d:prop></d:propstat></d:response>`;

  it("removes nothing if it lists another folder, and may name its own by http or without a slash", async () => {
    let hrefs = (origin: string) => [`${origin.replace("http:", "https:")}/dav`, "/dav/a.txt"];
    const server = await startMockServer((request, response) => {
      if (request.method === "GET") return response.end("One");
      const body = hrefs(server.origin).map(listed).join("");
      return response.writeHead(207).end(`<d:multistatus xmlns:d="DAV:">${body}</d:multistatus>`);
    });
    undo.push(server.close);
    const id = await added({ kind: "webdav", address: `${server.origin}/dav`, graceDays: 0 });
    expect(visibleNames()).toEqual(["a.txt"]);
    for (const answer of [["/public/", "/public/b.txt"], []]) {
      hrefs = () => answer;
      expect((await synced(id)).lastSync?.error).toContain("lists another folder than the one at");
      expect(visibleNames()).toEqual(["a.txt"]);
    }
  });

  it("isn't led elsewhere by redirects and addresses in its listing", async () => {
    const inner = await startMockServer((_, response) => response.end("A secret"));
    undo.push(inner.close);
    let status = 302;
    const server = await startMockServer((_, response) => {
      const hrefs = [
        "/dav/",
        `${inner.origin}/dav/x.txt`,
        "/dav/../private.txt",
        "/dav/%2e%2e/up.txt",
        "/elsewhere.txt",
      ];
      response.writeHead(status, { location: `${inner.origin}/` });
      response.end(`<d:multistatus xmlns:d="DAV:">${hrefs.map(listed).join("")}</d:multistatus>`);
    });
    undo.push(server.close);
    const id = await added({ kind: "webdav", address: `${server.origin}/dav` });
    expect((await getSource(test.actors.admin, id)).lastSync?.error).toContain("redirects");
    status = 207;
    expect(await synced(id)).toMatchObject({ lastSync: { error: null, added: 0, failed: 0, skipped: 0 } });
    expect(inner.requests).toEqual([]);
  });
});
