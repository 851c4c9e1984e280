import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnection } from "~/core/db.server";
import { assertNotNewer, assertOwnCode, migrate } from "./migrate";

const FIRST =
  "CREATE TABLE parents (id text PRIMARY KEY NOT NULL);\n--> statement-breakpoint\nCREATE TABLE children (id text PRIMARY KEY NOT NULL, parent text NOT NULL REFERENCES parents(id) ON DELETE cascade);";
const REBUILD = [
  "PRAGMA foreign_keys=OFF;",
  "CREATE TABLE __new_parents (id text PRIMARY KEY NOT NULL, name text);",
  "INSERT INTO __new_parents(id) SELECT id FROM parents;",
  "DROP TABLE parents;",
  "ALTER TABLE __new_parents RENAME TO parents;",
  "PRAGMA foreign_keys=ON;",
].join("--> statement-breakpoint\n");

describe("migrations", () => {
  let folder: string;
  let file: string;
  let raw: Database.Database;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-migrate-"));
    file = join(folder, "quarterdeck.sqlite");
    raw = openConnection(file);
  });
  afterEach(() => {
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function program(...migrations: string[]): string {
    const target = join(folder, `program-${migrations.length}-${readdirSync(folder).length}`);
    mkdirSync(join(target, "meta"), { recursive: true });
    const entries = migrations.map((sql, idx) => {
      writeFileSync(join(target, `000${idx}_step.sql`), sql);
      return { idx, version: "6", when: 1000 + idx, tag: `000${idx}_step`, breakpoints: true };
    });
    writeFileSync(
      join(target, "meta/_journal.json"),
      JSON.stringify({ version: "7", dialect: "sqlite", entries }),
    );
    return target;
  }

  const fill = () =>
    raw.exec("INSERT INTO parents VALUES ('p'); INSERT INTO children VALUES ('a', 'p'), ('b', 'p')");
  const count = (table: string) => raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  const snapshots = () =>
    existsSync(join(folder, "snapshots")) ? readdirSync(join(folder, "snapshots")) : [];

  it("run once, in order, and not again", async () => {
    expect(await migrate(raw, program(FIRST, "CREATE TABLE more (id text);"))).toBe(2);
    expect(await migrate(raw, program(FIRST, "CREATE TABLE more (id text);"))).toBe(0);
    expect(snapshots()).toEqual([]);
  });

  it("make the triggers that a restored file may have, also where they write to tables with such", async () => {
    const trigger =
      "CREATE TRIGGER folded AFTER UPDATE ON parents BEGIN UPDATE parents SET id = fold_text(new.id); END;";
    const own = program(FIRST, trigger, "UPDATE parents SET id = 'É';");
    await migrate(raw, own);
    await expect(assertOwnCode(raw, own, openConnection)).resolves.toBeUndefined();
    raw.exec("CREATE VIEW foreign_view AS SELECT 1");
    await expect(assertOwnCode(raw, own, openConnection)).rejects.toThrow("triggers or views");
  });

  it("are preceded by a snapshot that holds what was there", async () => {
    await migrate(raw, program(FIRST));
    fill();
    await migrate(raw, program(FIRST, "DELETE FROM children;"));
    expect(snapshots()).toHaveLength(1);
    const path = join(folder, "snapshots", snapshots()[0] ?? "");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const copy = new Database(path, { readonly: true });
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(copy.prepare("SELECT count(*) FROM children").pluck().get()).toBe(2);
    copy.close();
  });

  it("keep the children when they rebuild a parent's table", async () => {
    await migrate(raw, program(FIRST));
    fill();
    await migrate(raw, program(FIRST, REBUILD));
    expect(count("children")).toBe(2);
    expect(raw.pragma("foreign_keys", { simple: true })).toBe(1);
  });

  it("change nothing when one of them fails, and leave the connection usable", async () => {
    await migrate(raw, program(FIRST));
    fill();
    const broken = program(FIRST, "CREATE TABLE more (id text);", "INSERT INTO nowhere VALUES (1);");
    await expect(migrate(raw, broken)).rejects.toThrow("nowhere");
    expect(raw.prepare("SELECT name FROM sqlite_master WHERE name = 'more'").get()).toBeUndefined();
    expect(count("children")).toBe(2);
    expect(raw.pragma("foreign_keys", { simple: true })).toBe(1);
    expect(await migrate(raw, program(FIRST, "CREATE TABLE more (id text);"))).toBe(1);
  });

  it("refuse to leave rows without their parent", async () => {
    await migrate(raw, program(FIRST));
    fill();
    await expect(
      migrate(
        raw,
        program(
          FIRST,
          "DELETE FROM parents;\n--> statement-breakpoint\nINSERT INTO children VALUES ('c', 'nobody');",
        ),
      ),
    ).rejects.toThrow("without their parent");
    expect(count("parents")).toBe(1);
  });

  it("keep the newest five snapshots", async () => {
    const steps = [FIRST];
    for (let n = 0; n < 8; n++) {
      await migrate(raw, program(...steps));
      steps.push(`CREATE TABLE t${n} (id text);`);
    }
    expect(snapshots()).toHaveLength(5);
  });

  it("that keep failing keep one snapshot, and push out no other", async () => {
    const steps = [FIRST];
    for (let n = 0; n < 6; n++) {
      await migrate(raw, program(...steps));
      steps.push(`CREATE TABLE t${n} (id text);`);
    }
    const earlier = snapshots();
    expect(earlier).toHaveLength(5);
    fill();
    const broken = program(...steps, "INSERT INTO nowhere VALUES (1);");
    await expect(migrate(raw, broken)).rejects.toThrow("nowhere");
    raw.exec("INSERT INTO children VALUES ('c', 'p')");
    for (let n = 0; n < 3; n++) await expect(migrate(raw, broken)).rejects.toThrow("nowhere");
    const added = snapshots().filter((name) => !earlier.includes(name));
    expect(snapshots()).toEqual(expect.arrayContaining(earlier));
    expect(added).toHaveLength(1);
    const copy = new Database(join(folder, "snapshots", added[0] ?? ""), { readonly: true });
    expect(copy.prepare("SELECT count(*) FROM children").pluck().get()).toBe(3);
    copy.close();
  });

  it("refuse a file of a newer program and don't touch a byte of it", async () => {
    await migrate(raw, program(FIRST, "CREATE TABLE more (id text);"));
    raw.pragma("wal_checkpoint(TRUNCATE)");
    raw.close();
    const before = readFileSync(file);
    const older = join(folder, "older");
    cpSync(program(FIRST), older, { recursive: true });
    expect(() => assertNotNewer(file, older)).toThrow(
      /written by a newer Quarterdeck, of 1970-01-01 or later \(1 unknown migration\)\. Start that version again, or import a backup.*Nothing was changed/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    raw = openConnection(join(folder, "other.sqlite"));
  });

  it("name the newest copy that fits a refused file", async () => {
    const [older, current] = [program(FIRST), program(FIRST, "CREATE TABLE more (id text);")];
    await migrate(raw, older);
    const copies: string[] = [];
    await migrate(raw, current, (count, copy) => copies.push(`${count}: ${copy}`));
    const [name] = readdirSync(join(folder, "snapshots"));
    const copy = join(folder, "snapshots", name ?? "");
    expect(copies).toEqual([`1: ${copy}`]);
    writeFileSync(join(folder, "snapshots", "before-9-damaged-quarterdeck.sqlite"), "x".repeat(200));
    expect(() => assertNotNewer(file, older)).toThrow(
      `or replace the database with ${copy}, a copy from before`,
    );
  });

  it("refuse another program's file", async () => {
    raw.exec("CREATE TABLE theirs (id text)");
    expect(() => assertNotNewer(file, program(FIRST))).toThrow(`${file} is the database of another program.`);
    await migrate(raw, program("CREATE TABLE drizzles (id text);"));
    expect(() => assertNotNewer(file, program(FIRST))).toThrow(`${file} is the database of another program.`);
  });

  it("accept a file of the same or an older program, and none at all", async () => {
    const current = program(FIRST);
    expect(() => assertNotNewer(join(folder, "none.sqlite"), current)).not.toThrow();
    await migrate(raw, current);
    expect(() => assertNotNewer(file, current)).not.toThrow();
    expect(() => assertNotNewer(file, program(FIRST, "CREATE TABLE more (id text);"))).not.toThrow();
  });
});

describe("this program's own migrations", () => {
  let folder: string;
  let raw: Database.Database;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-upgrade-"));
    raw = openConnection(join(folder, "quarterdeck.sqlite"));
  });
  afterEach(() => {
    raw.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const journal = JSON.parse(readFileSync("db/migrations/meta/_journal.json", "utf8")) as {
    entries: unknown[];
  };

  async function open(steps: number): Promise<void> {
    const older = join(folder, "older");
    cpSync("db/migrations", older, { recursive: true });
    const entries = journal.entries.slice(0, steps);
    writeFileSync(join(older, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrate(raw, older);
    raw.exec("INSERT INTO organisations (id, name, created_at) VALUES ('org', 'Test', 1)");
    raw.exec(
      "INSERT INTO users (id, org_id, email, role, status, created_at, updated_at) VALUES ('usr', 'org', 'a@b.c', 'owner', 'active', 1, 1)",
    );
  }

  it("run on a database of the first version that holds data", async () => {
    await open(1);
    raw.exec(
      "INSERT INTO conversations (id, org_id, user_id, title, model, created_at, updated_at) VALUES ('cnv', 'org', 'usr', 't', 'm', 1, 1)",
    );
    raw.exec(
      "INSERT INTO usage_records (id, org_id, user_id, provider_type, model, duration_ms, outcome, created_at) VALUES ('u', 'org', 'usr', 'openai', 'm', 1, 'ok', 1)",
    );
    expect(await migrate(raw, "db/migrations")).toBe(journal.entries.length - 1);
    for (const table of ["organisations", "users", "conversations", "usage_records"]) {
      expect([table, raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, 1]);
    }
  });

  it("end schedules that were never meant to be, and leave the others alone", async () => {
    await open(9);
    raw.exec(
      "INSERT INTO document_categories (id, org_id, name, position, created_at) VALUES ('c', 'org', 'C', 0, 1)",
    );
    const add = raw.prepare(
      `INSERT INTO documents (id, org_id, category_id, order_index, name, type, source, status, visibility, refresh_every, refresh_at, created_by, created_at, updated_at)
       VALUES (?, 'org', 'c', 0, 'n', 'url', 's', 'ready', 'organisation', ?, 5, 'usr', 1, 1)`,
    );
    for (const every of [-1, 1, 3_599_999, 3_600_000, 31_622_400_000, 9e15]) add.run(`every ${every}`, every);
    await migrate(raw, "db/migrations");
    const remaining = raw.prepare("SELECT refresh_every FROM documents WHERE refresh_at = 5").pluck().all();
    expect(remaining).toEqual([3_600_000, 31_622_400_000]);
    expect(raw.prepare("SELECT count(*) FROM documents WHERE refresh_every IS NULL").pluck().get()).toBe(4);
  });
});
