import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { FOLDERS, openTestDatabase } from "../../../tests/support/database";
import { createArchive } from "./create-archive.thread";
import { extractArchive } from "./extract-archive.thread";
import { readTar, writeTar } from "./tar";

let test: ReturnType<typeof openTestDatabase>;
let migrations: string[];
beforeEach(() => {
  test = openTestDatabase();
  mkdirSync(join(test.folder, "backups"));
  migrations = hashesOf(rawDatabase());
});
afterEach(() => test.close());

const hashesOf = (raw: Database.Database) =>
  raw.prepare("SELECT hash FROM __drizzle_migrations ORDER BY id").pluck().all() as string[];
const target = () => join(test.folder, "backups", "one.tar.gz");
const create = () =>
  createArchive({
    kind: "create",
    dataDir: test.folder,
    target: target(),
    version: "1.2.3",
    createdAt: "2026-01-02T03:04:05.000Z",
    auditKey: "fingerprint",
  });
const extract = (hashes = migrations) =>
  extractArchive({
    kind: "extract",
    archive: target(),
    target: join(test.folder, "out"),
    migrations: hashes,
  });
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: "unprocessable", message: expect.stringMatching(message) });

/** Changes the unpacked archive and packs it again. */
function alter(change: (bytes: Buffer) => Buffer): void {
  writeFileSync(target(), gzipSync(change(gunzipSync(readFileSync(target())))));
}

/** Makes the archive of a data folder whose database was changed. */
async function createFrom(change: (raw: Database.Database) => void): Promise<void> {
  change(rawDatabase());
  await create();
}

describe("an archive of the data folder", () => {
  const elsewhere = mkdtempSync(join(process.cwd(), ".cache", "backups-"));
  afterAll(() => rmSync(elsewhere, { recursive: true }));
  const isAnotherDisk = statSync(elsewhere).dev !== statSync(FOLDERS).dev;
  it.runIf(isAnotherDisk)("is made on another disk, where files can't be linked", async () => {
    rmSync(join(test.folder, "backups"), { recursive: true });
    symlinkSync(elsewhere, join(test.folder, "backups"));
    const name = "a".repeat(64);
    mkdirSync(join(test.folder, "attachments"), { recursive: true });
    writeFileSync(join(test.folder, "attachments", name), "A chart");
    await create();
    await extract();
    expect(readFileSync(join(test.folder, "out", "attachments", name), "utf8")).toBe("A chart");
  });

  it("holds the state of one moment while the console writes, and no session", async () => {
    const raw = rawDatabase();
    raw.exec("CREATE TABLE pairs (id INTEGER PRIMARY KEY, other INTEGER, filling BLOB)");
    raw.exec(
      "INSERT INTO sessions (id, secret_hash, user_id, created_at, last_seen_at, expires_at) VALUES ('s', 'stolen-secret', 'usr_owner', 1, 1, 1)",
    );
    const insert = raw.prepare("INSERT INTO pairs VALUES (?, ?, randomblob(20000))");
    const write = raw.transaction((id: number) => {
      insert.run(2 * id, 2 * id + 1);
      insert.run(2 * id + 1, 2 * id);
    });
    for (let id = 1; id < 300; id++) write(id);
    mkdirSync(join(test.folder, "runs", "run_1"), { recursive: true });
    writeFileSync(join(test.folder, "runs", "run_1", "out_1.json"), '{"large":true}');
    writeFileSync(join(test.folder, "runs", "run_1", "out_2.json.part"), "unfinished");
    const workspace = new Database(join(test.folder, "workspace.db"));
    workspace.exec("CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (7)");
    workspace.close();

    let finished = false;
    const creating = create().finally(() => {
      finished = true;
    });
    let id = 300;
    for (; !finished; id++) {
      write(id);
      await turn();
    }
    await creating;
    expect(id).toBeGreaterThan(301);
    expect(await extract()).toEqual({
      format: 1,
      version: "1.2.3",
      createdAt: "2026-01-02T03:04:05.000Z",
      auditKey: "fingerprint",
      bytes: expect.any(Number),
    });

    const copy = new Database(join(test.folder, "out", "quarterdeck.sqlite"), { readonly: true });
    const rows = copy.prepare("SELECT id, other, hex(filling) FROM pairs ORDER BY id").raw().all();
    expect(rows.length % 2).toBe(0);
    expect(rows.length).toBeGreaterThanOrEqual(598);
    const source = raw.prepare("SELECT id, other, hex(filling) FROM pairs ORDER BY id LIMIT ?").raw();
    expect(rows).toEqual(source.all(rows.length));
    expect(copy.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(0);
    expect(copy.prepare("SELECT count(*) FROM users").pluck().get()).toBe(4);
    copy.close();
    expect(readFileSync(join(test.folder, "out", "quarterdeck.sqlite")).includes("stolen-secret")).toBe(
      false,
    );
    expect(readFileSync(join(test.folder, "out", "runs", "run_1", "out_1.json"), "utf8")).toBe(
      '{"large":true}',
    );
    expect(existsSync(join(test.folder, "out", "runs", "run_1", "out_2.json.part"))).toBe(false);
    const orders = new Database(join(test.folder, "out", "workspace.db"), { readonly: true });
    expect(orders.prepare("SELECT id FROM orders").pluck().all()).toEqual([7]);
    orders.close();
    expect(existsSync(`${target()}.staging`)).toBe(false);
  });

  it("is refused when it is cut off or was changed", async () => {
    await create();
    const whole = readFileSync(target());
    writeFileSync(target(), whole.subarray(0, Math.floor(whole.length / 2)));
    await expect(extract()).rejects.toEqual(refusal(/damaged/));
    writeFileSync(target(), whole);
    alter((bytes) => {
      bytes.writeUInt8(bytes.readUInt8(200_000) ^ 1, 200_000);
      return bytes;
    });
    await expect(
      extractArchive({ kind: "extract", archive: target(), target: join(test.folder, "two"), migrations }),
    ).rejects.toEqual(refusal(/damaged/));
    whole.writeUInt8(whole.readUInt8(whole.length - 8) ^ 1, whole.length - 8);
    writeFileSync(target(), whole);
    await expect(
      extractArchive({ kind: "extract", archive: target(), target: join(test.folder, "three"), migrations }),
    ).rejects.toEqual(refusal(/damaged/));
  });

  it("is refused when it never ends", async () => {
    async function* endless() {
      yield* writeTar((async function* () {})(), new Date(0));
      for (;;) yield Buffer.alloc(1 << 20);
    }
    await expect(readTar(endless()).next()).rejects.toEqual(refusal(/damaged/));
  });

  it("is refused when it is no archive, or names a file outside", async () => {
    writeFileSync(target(), "PNG");
    await expect(extract()).rejects.toEqual(refusal(/not a backup/));
    copyFileSync(join(test.folder, "quarterdeck.sqlite"), target());
    await expect(extract()).rejects.toEqual(refusal(/not a backup/));
    const archive = await createFrom(() => {
      mkdirSync(join(test.folder, "runs", "run_1"), { recursive: true });
      writeFileSync(join(test.folder, "runs", "run_1", "out_evil.json"), "{}");
    });
    expect(archive).toBeUndefined();
    alter((bytes) => {
      const at = bytes.indexOf("runs/run_1/out_evil.json");
      bytes.write("../../run_1/out_evil.json".slice(0, 24), at);
      const header = bytes.subarray(at, at + 512);
      let sum = 0;
      for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
      header.write(sum.toString(8).padStart(6, "0"), 148);
      return bytes;
    });
    await expect(extract()).rejects.toEqual(refusal(/damaged/));
  });

  it("is refused when a newer version, an unknown older one or no owner is behind it", async () => {
    await create();
    await expect(extract(migrations.slice(0, -1))).rejects.toEqual(refusal(/newer version \(1\.2\.3\)/));
    const otherLine = ["other", ...migrations.slice(1)];
    await expect(
      extractArchive({
        kind: "extract",
        archive: target(),
        target: join(test.folder, "b"),
        migrations: otherLine,
      }),
    ).rejects.toEqual(refusal(/too old/));
    await createFrom((raw) => raw.exec("UPDATE users SET status = 'suspended' WHERE role = 'owner'"));
    await expect(
      extractArchive({ kind: "extract", archive: target(), target: join(test.folder, "c"), migrations }),
    ).rejects.toEqual(refusal(/no owner/));
  });

  it("of an older version can be continued", async () => {
    await create();
    expect(await extract([...migrations, "a later one"])).toEqual(
      expect.objectContaining({ version: "1.2.3" }),
    );
  });
});
