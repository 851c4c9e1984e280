import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assertDatabaseNotLost, explainDataFault } from "./data-faults.server";
import { claimDataFolder } from "./data-folder.server";
import { setEnv } from "./env.server";
import { AppError } from "./errors";
import { log } from "./log.server";

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "quarterdeck-folder-"));
  folder = join(parent, "a", "data");
});
afterEach(() => {
  setEnv(undefined);
  rmSync(parent, { recursive: true, force: true });
});

describe("claiming a data folder", () => {
  it("makes it for its user alone, and leaves nothing but the lock in it", async () => {
    const lock = await claimDataFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    lock.release();
    expect(readdirSync(folder)).toEqual(["process.lock"]);
  });

  it("refuses a file system without reliable locks, before it writes anything", async () => {
    await expect(claimDataFolder(folder, { fileSystemOf: () => "NFS (nfs4)" })).rejects.toThrow(
      `The data folder ${folder} is on NFS (nfs4), where file locks aren't reliable and the database can be damaged. ` +
        "Set DATA_DIR to a folder on a local disk, or DATA_DIR_ALLOW_NETWORK=1 to use this one all the same.",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("uses one when the operator insists, and warns each time", async () => {
    setEnv({ DATA_DIR_ALLOW_NETWORK: "1" });
    const warn = vi.spyOn(log, "warn").mockImplementation(() => undefined);
    (await claimDataFolder(folder, { fileSystemOf: () => "NFS (nfs4)" })).release();
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("aren't reliable"), { file: folder, kind: "NFS (nfs4)" }],
    ]);
  });

  it.each(["", "/below"])("refuses the path of a file%s", async (rest) => {
    const file = join(parent, "file");
    writeFileSync(file, "theirs");
    await expect(claimDataFolder(file + rest)).rejects.toThrow(
      `DATA_DIR is ${file}${rest}, which isn't a folder. Set it to a folder.`,
    );
  });

  it("mends a secret's mode, and refuses one that is damaged", async () => {
    (await claimDataFolder(folder)).release();
    const file = join(folder, "sealing.key");
    writeFileSync(file, "k".repeat(43));
    chmodSync(file, 0o644);
    (await claimDataFolder(folder)).release();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, Buffer.alloc(64, 0xff));
    await expect(claimDataFolder(folder)).rejects.toThrow(
      `The secret in ${file} is damaged: it isn't plain text. Put the right one back`,
    );
  });

  it("looks at no secret that the environment replaces", async () => {
    setEnv({ AUDIT_KEY: "k".repeat(32) });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "audit.key"), "");
    (await claimDataFolder(folder)).release();
    setEnv({});
    await expect(claimDataFolder(folder)).rejects.toThrow(
      "it has fewer than 32 characters. Put the right one",
    );
  });

  it("refuses a lock that isn't a file", async () => {
    mkdirSync(join(folder, "process.lock"), { recursive: true });
    await expect(claimDataFolder(folder)).rejects.toThrow(
      `${join(folder, "process.lock")} isn't a file. Delete it and start again.`,
    );
  });

  it("refuses a damaged lock file, and says that it can go", async () => {
    (await claimDataFolder(folder)).release();
    writeFileSync(join(folder, "process.lock"), "x".repeat(8192));
    await expect(claimDataFolder(folder)).rejects.toThrow(
      `${join(folder, "process.lock")} is damaged. It holds no data: delete it and start again.`,
    );
    expect(existsSync(join(folder, ".write-test"))).toBe(false);
  });
});

describe("a data folder without its database", () => {
  beforeEach(() => mkdirSync(folder, { recursive: true }));

  it("is new if nothing but a lock and a reserve is in it", () => {
    writeFileSync(join(folder, "process.lock"), "");
    for (const name of ["reserve", "backups", "attachments"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "reserve", "1"), "x");
    writeFileSync(join(folder, "backups", "outcome.json"), "{}");
    expect(() => assertDatabaseNotLost(folder)).not.toThrow();
  });

  it.each([
    "audit.key",
    "session.secret",
    "backups/one.tar.gz",
    "attachments/one",
    "snapshots/one",
    ".quarterdeck.sqlite-litestream/one",
  ])("isn't taken for a new one beside %s", (name) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "x");
    const found = name.includes("/") ? `${dirname(name)}/` : name;
    expect(() => assertDatabaseNotLost(folder)).toThrow(
      `The database ${join(folder, "quarterdeck.sqlite")} is missing, but the data folder isn't new: it has ${found}. To go on, restore`,
    );
    writeFileSync(join(folder, "quarterdeck.sqlite"), "");
    expect(() => assertDatabaseNotLost(folder)).toThrow("is empty, but");
  });

  it("is refused, new or not, where a database is required", () => {
    setEnv({ DATABASE_REQUIRED: "1" });
    expect(() => assertDatabaseNotLost(folder)).toThrow("DATABASE_REQUIRED is set. To go on, restore");
    setEnv(undefined);
    expect(() => assertDatabaseNotLost(folder)).not.toThrow();
  });

  it("names the command that restores a replica, where there may be one", () => {
    const said = `restore the replica with \`litestream restore -integrity-check full -o ${join(folder, "quarterdeck.sqlite")} $LITESTREAM_URL/quarterdeck\``;
    const required = { DATABASE_REQUIRED: "1" };
    setEnv({ ...required, LITESTREAM_URL: "file:///mnt/replica" });
    expect(() => assertDatabaseNotLost(folder)).toThrow(said);
    setEnv(required);
    expect(() => assertDatabaseNotLost(folder)).not.toThrow(said);
    setEnv(undefined);
    mkdirSync(join(folder, ".quarterdeck.sqlite-litestream", "file:"), { recursive: true });
    expect(() => assertDatabaseNotLost(folder)).toThrow(said);
  });

  it("has the newest backup's name in the command", () => {
    mkdirSync(join(folder, "backups"));
    writeFileSync(join(folder, "backups", "of mine.tar.gz"), "");
    expect(() => assertDatabaseNotLost(folder)).toThrow("`npm run restore -- 'of mine.tar.gz'`");
  });
});

describe("what an operator reads of a fault", () => {
  const fault = (code: string, more: object = {}) => Object.assign(new Error("raw text"), { code, ...more });
  const read = (error: unknown) => (explainDataFault(error, "/data") as Error).message;

  it.each([
    ["EROFS", "The data folder /data is on a read-only file system. Mount it writable"],
    ["ENOSPC", "The disk of the data folder /data is full. Free some space"],
    ["SQLITE_FULL", "The disk of the data folder /data is full. Free some space"],
    ["EDQUOT", "The disk quota for the data folder /data is used up."],
    ["SQLITE_IOERR_FSYNC", "The disk of the data folder /data reports errors (SQLITE_IOERR_FSYNC). Check"],
    [
      "SQLITE_NOTADB",
      "The database /data/quarterdeck.sqlite is damaged (SQLITE_NOTADB). To go on, restore a backup with `npm run restore -- FILE`, in the container `node build/restore.mjs FILE`",
    ],
    ["SQLITE_CORRUPT_INDEX", "The database /data/quarterdeck.sqlite is damaged (SQLITE_CORRUPT_INDEX)."],
    ["SQLITE_BUSY", "Another program has the database /data/quarterdeck.sqlite open (SQLITE_BUSY). Close it"],
    [
      "SQLITE_CANTOPEN",
      "The database /data/quarterdeck.sqlite can't be opened for writing (SQLITE_CANTOPEN).",
    ],
    ["SQLITE_READONLY_DBMOVED", "can't be opened for writing (SQLITE_READONLY_DBMOVED)."],
    ["SQLITE_ERROR", "The database /data/quarterdeck.sqlite can't be used: raw text (SQLITE_ERROR)."],
  ])("says of %s what to do", (code, message) => {
    expect(read(fault(code))).toContain(message);
  });

  it("says of the system's other faults, and of other files, what it was for", () => {
    expect(read(fault("EMFILE", { syscall: "open", path: "/data/audit.key" }))).toBe(
      "Quarterdeck can't start: raw text.",
    );
    expect(read(fault("EACCES", { syscall: "open", path: "/database/key" }))).toBe(
      "Quarterdeck can't start: raw text.",
    );
  });

  it("leaves sentences alone", () => {
    const sentence = new AppError("unprocessable", "The backup has no organization.");
    expect(explainDataFault(sentence, "/data")).toBe(sentence);
  });
});
