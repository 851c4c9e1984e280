import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { readSetting, saveFormGroup } from "~/platform/settings/settings.service.server";
import { ORG_ID, openTestDatabase } from "../../../tests/support/database";
import { backupJobs } from "./backups.jobs.server";
import {
  deleteBackup,
  listBackups,
  newestScheduledAt,
  openBackup,
  pruneScheduled,
  readBackups,
  requestedBackup,
  startBackup,
  startCheck,
  startCompaction,
  sweepUnfinished,
  uploadBackup,
} from "./backups.service.server";
import { describeInstallation } from "./maintenance.service.server";
import { newReplacedFolder, pruneReplaced, startRestore } from "./restore.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  mkdirSync(join(test.folder, "backups"));
});
afterEach(() => test.close());

const put = (...names: string[]) => {
  for (const name of names) writeFileSync(join(test.folder, "backups", name), name);
};
const actions = () => listAudit(test.actors.owner, { limit: 9 }).entries.map(({ action }) => action);
const forbidden = expect.objectContaining({ code: "forbidden" });
const nameOf = (day: number, kind: string) => `quarterdeck-2026-01-0${day}T03-00-00Z-${kind}.tar.gz`;

async function* parts(content: string | Buffer) {
  yield { kind: "field" as const };
  const bytes = (async function* () {
    yield Buffer.from(content);
  })();
  yield { kind: "file" as const, fileName: "../x.tar.gz", bytes };
}

describe("backups", () => {
  it("lists backups newest first, for owners only", async () => {
    put(nameOf(1, "manual"), nameOf(2, "scheduled"), "moved.tar.gz", "outcome.json", "x.partial");
    const backups = await listBackups(test.actors.owner);
    expect(backups.map(({ name, kind }) => [name, kind])).toEqual([
      ["moved.tar.gz", "other"],
      [nameOf(2, "scheduled"), "scheduled"],
      [nameOf(1, "manual"), "manual"],
    ]);
    expect(backups[1]?.createdAt).toBe("2026-01-02T03:00:00.000Z");
    expect(() => listBackups(test.actors.admin)).toThrow(forbidden);
    expect(await readBackups(test.actors.admin)).toMatchObject({ backups: null, active: null });
  });

  it("lets only owners create, download and delete backups, and audits each", async () => {
    put("one.tar.gz");
    const { admin, owner } = test.actors;
    expect(() => startBackup(admin)).toThrow(forbidden);
    expect(() => startCompaction(admin)).toThrow(forbidden);
    await expect(startRestore(admin, "one.tar.gz")).rejects.toThrow(forbidden);
    await expect(openBackup(admin, "one.tar.gz")).rejects.toThrow(forbidden);
    await expect(deleteBackup(admin, "one.tar.gz")).rejects.toThrow(forbidden);
    await expect(uploadBackup(admin, parts("x"))).rejects.toThrow(forbidden);

    startBackup(owner);
    expect((await readBackups(owner)).active).toBe("create");
    startCompaction(owner);
    describeInstallation({ migrations: [], version: "1", restart: async () => undefined });
    await startRestore(owner, "one.tar.gz");
    await expect(startRestore(owner, "one.tar.gz")).rejects.toThrow(
      expect.objectContaining({ code: "conflict" }),
    );
    expect((await readBackups(owner)).active).toBe("restore");
    await expect.poll(async () => (await readBackups(owner)).active).toBe("compact");
    expect((await readBackups(owner)).outcome).toMatchObject({
      ok: false,
      message: "one.tar.gz was not restored. This file is not a backup of the console.",
    });
    const { size, pieces } = await openBackup(owner, "one.tar.gz");
    expect(Buffer.concat([...pieces]).toString()).toBe("one.tar.gz");
    expect(size).toBe(10);
    const archive = gzipSync("manifest.json\0");
    const uploaded = await uploadBackup(owner, parts(archive));
    expect(readFileSync(join(test.folder, "backups", uploaded.name))).toEqual(archive);
    const next = await uploadBackup(owner, parts(archive));
    expect(next.name).not.toBe(uploaded.name);
    await deleteBackup(owner, next.name);
    await deleteBackup(owner, "one.tar.gz");
    expect(existsSync(join(test.folder, "backups", "one.tar.gz"))).toBe(false);
    expect(actions()).toEqual([
      "backup.deleted",
      "backup.deleted",
      "backup.uploaded",
      "backup.uploaded",
      "backup.downloaded",
      "restore.requested",
      "compaction.requested",
      "backup.requested",
    ]);
  });

  it("audits a created backup with its name and size, also the one before a restore", async () => {
    const { owner } = test.actors;
    const hashes = rawDatabase().prepare("SELECT hash FROM __drizzle_migrations ORDER BY id").pluck().all();
    const restarted = new Promise<void>((resolve) =>
      describeInstallation({
        migrations: hashes as string[],
        version: "1",
        restart: async () => resolve(),
      }),
    );
    const job = backupJobs.find(({ kind }) => kind === requestedBackup.kind);
    const { signal } = new AbortController();
    await job?.run({ actor: () => owner, signal, progress: () => undefined } as never);
    const [manual] = await listBackups(owner);
    await startRestore(owner, manual?.name ?? "");
    await restarted;
    const backups = await listBackups(owner);
    expect(backups.map(({ kind }) => kind).sort()).toEqual(["before-restore", "manual"]);
    const before = backups.find(({ kind }) => kind === "before-restore");
    const created = (backup: typeof manual) => ({
      action: "backup.created",
      resource: `backup:${backup?.name}`,
      details: { name: backup?.name, bytes: backup?.bytes },
    });
    expect(listAudit(owner, { limit: 9 }).entries).toMatchObject([
      created(before),
      { action: "restore.requested" },
      created(manual),
    ]);
  });

  it("lets only admins check the database, and audits it", async () => {
    const { admin, member } = test.actors;
    expect(() => startCheck(member)).toThrow(forbidden);
    startCheck(admin);
    expect((await readBackups(admin)).active).toBe("check");
    expect(listAudit(admin, { limit: 9 }).entries).toMatchObject([
      { action: "check.requested", resource: "database", userId: "usr_admin" },
    ]);
  });

  it("refuses names of files outside the backup folder", async () => {
    writeFileSync(join(test.folder, "secret.tar.gz"), "secret");
    for (const name of ["../secret.tar.gz", "..", "audit.key", "/etc/passwd", ".tar.gz"])
      await expect(openBackup(test.actors.owner, name)).rejects.toThrow(
        expect.objectContaining({ code: "not_found" }),
      );
    // Nothing, a picture, half of a compressed one, a bomb, and an archive of something else.
    const others = [
      "",
      "PNG",
      gzipSync("PNG").subarray(0, 12),
      gzipSync(Buffer.alloc(50_000_000)),
      gzipSync("src/"),
    ];
    for (const content of others)
      await expect(uploadBackup(test.actors.owner, parts(content))).rejects.toThrow(
        expect.objectContaining({ code: "invalid" }),
      );
    expect(await listBackups(test.actors.owner)).toEqual([]);
  });

  it("prunes scheduled backups to the configured number", async () => {
    put(nameOf(1, "scheduled"), nameOf(2, "scheduled"), nameOf(3, "scheduled"), nameOf(1, "manual"));
    saveFormGroup(test.actors.owner, "backups", { schedule: "weekly", keep: 2 }, 0);
    expect(actions()).toEqual(["settings.updated"]);
    expect(() => saveFormGroup(test.actors.admin, "backups", { keep: 3 }, undefined)).toThrow(forbidden);
    await pruneScheduled(readSetting(ORG_ID, "backups.keep"));
    const remaining = (await listBackups(test.actors.owner)).map(({ name }) => name);
    expect(remaining).toEqual([nameOf(3, "scheduled"), nameOf(2, "scheduled"), nameOf(1, "manual")]);
    expect(await newestScheduledAt()).toBe(Date.parse("2026-01-03T03:00:00Z"));
  });

  it("deletes the files that a restore replaced after 30 days, and nothing else beside them", async () => {
    const folders = [
      newReplacedFolder(),
      "replaced/2020-01-01T03-00-00Z",
      "replaced/mine",
      "replaced/2020-01-01",
    ];
    for (const folder of folders) mkdirSync(join(test.folder, folder, "attachments"), { recursive: true });
    await pruneReplaced();
    expect(folders.map((folder) => existsSync(join(test.folder, folder)))).toEqual([true, false, true, true]);
  });

  it("deletes unfinished files of backups", async () => {
    put(nameOf(1, "manual"), "a.tar.gz.partial", "b.tar.gz.upload");
    mkdirSync(join(test.folder, "backups", "c.tar.gz.staging"));
    await sweepUnfinished();
    expect((await listBackups(test.actors.owner)).map(({ name }) => name)).toEqual([nameOf(1, "manual")]);
    expect(existsSync(join(test.folder, "backups", "c.tar.gz.staging"))).toBe(false);
  });
});
