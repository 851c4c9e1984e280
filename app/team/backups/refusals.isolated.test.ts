import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { closeDatabase, rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { runBackupTask } from "./backup.thread";
import { backupJobs } from "./backups.jobs.server";
import { compactDatabase } from "./backups.service.server";
import { createArchive } from "./create-archive.thread";
import { describeInstallation } from "./maintenance.service.server";
import { beginRestore, prepareRestore } from "./restore.service.server";
import { readOutcome } from "./restore-files";

/** Free space of the disk, in bytes; undefined for what it has. */
const disk = vi.hoisted((): { free: number | undefined } => ({ free: undefined }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const statfsSync = (...call: Parameters<typeof fs.statfsSync>) => ({
    ...fs.statfsSync(...call),
    ...(disk.free === undefined ? {} : { bavail: disk.free, bsize: 1 }),
  });
  return { ...fs, statfsSync };
});
vi.mock("node:fs/promises", async (original) => {
  const fs = await original<typeof import("node:fs/promises")>();
  const statfs = async (...call: Parameters<typeof fs.statfs>) => ({
    ...(await fs.statfs(...call)),
    ...(disk.free === undefined ? {} : { bavail: disk.free, bsize: 1 }),
  });
  return { ...fs, statfs };
});

let test: ReturnType<typeof openTestDatabase>;
beforeEach(async () => {
  test = openTestDatabase();
  const migrations = rawDatabase().prepare("SELECT hash FROM __drizzle_migrations ORDER BY id").pluck().all();
  describeInstallation({ migrations: migrations as string[], version: "1", restart: async () => undefined });
  mkdirSync(join(test.folder, "backups"));
});
afterEach(() => {
  disk.free = undefined;
  test.close();
});

const backUp = () =>
  createArchive({
    kind: "create",
    dataDir: test.folder,
    target: join(test.folder, "backups", "one.tar.gz"),
    version: "1",
    createdAt: "2026-01-02T03:04:05.000Z",
    auditKey: "fingerprint",
  });

it("refuses a compaction and a restore that the disk has no room for, and changes nothing", async () => {
  await backUp();
  const confirm = await prepareRestore({ name: "one.tar.gz", means: "restore", userId: "usr_owner" });
  const before = readFileSync(join(test.folder, "quarterdeck.sqlite"));
  disk.free = 1000;
  const compact = backupJobs.find(({ kind }) => kind === compactDatabase.kind);
  await expect(compact?.run({} as never)).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(/^Compacting needs .* and the disk has 1 kB free\. Free some space\.$/),
  });
  expect(() => confirm()).toThrow(
    expect.objectContaining({
      code: "unavailable",
      message: expect.stringMatching(
        /^The disk has 1 kB free, and the restore needs .*\. Free some space\.$/,
      ),
    }),
  );
  expect(readFileSync(join(test.folder, "quarterdeck.sqlite")).equals(before)).toBe(true);
  disk.free = undefined;
  expect(await beginRestore()).toBeUndefined();
});

it("says to reset Litestream after a restore over a database that had to be moved away", async () => {
  await backUp();
  const confirm = await prepareRestore({ name: "one.tar.gz", means: "restore", userId: "usr_owner" });
  confirm();
  closeDatabase();
  mkdirSync(join(test.folder, ".quarterdeck.sqlite-litestream"));
  writeFileSync(join(test.folder, "quarterdeck.sqlite"), "no database ".repeat(1000));
  const restore = await beginRestore();
  restore?.finish();
  expect(readOutcome(test.folder)).toMatchObject({
    ok: true,
    message: expect.stringMatching(
      /was restored\..* Litestream can't follow quarterdeck\.sqlite, which is a new file: stop it, run `litestream reset` for it, and start it again\.$/,
    ),
  });
});

it("says that a compacted file shrinks later while another process reads it", async () => {
  const file = join(test.folder, "quarterdeck.sqlite");
  const raw = rawDatabase();
  raw.exec("CREATE TABLE filling (bytes BLOB)");
  const insert = raw.prepare("INSERT INTO filling VALUES (randomblob(100000))");
  for (let row = 0; row < 50; row++) insert.run();
  raw.exec("DROP TABLE filling");
  raw.pragma("wal_checkpoint(TRUNCATE)");
  closeDatabase();
  const reader = new Database(file);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM users").get();
  const outcome = await runBackupTask({ kind: "vacuum", database: file });
  expect(outcome).toMatchObject({ followsLater: true });
  expect(outcome.bytes).toBeGreaterThan(4_000_000);
  const during = readFileSync(file).length;
  reader.exec("COMMIT");
  reader.pragma("wal_checkpoint(TRUNCATE)");
  reader.close();
  expect(readFileSync(file).length).toBeLessThan(during - 4_000_000);
  expect(await runBackupTask({ kind: "vacuum", database: file })).toMatchObject({ followsLater: false });
});
