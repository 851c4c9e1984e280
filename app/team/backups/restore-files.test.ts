import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { overwriteDatabase } from "~/core/replace-database.server";
import {
  applyRestore,
  clearStaged,
  finishRestore,
  planRestore,
  stagedFolder,
  undoRestore,
} from "./restore-files";

const PLAN = {
  name: "one.tar.gz",
  means: "restore",
  userId: "usr_owner",
  manifest: { format: 1, version: "1", createdAt: "2026-01-02T03:04:05.000Z", auditKey: "key", bytes: 1 },
} as const;

const DATABASE = "quarterdeck.sqlite";
const WORKSPACE = "workspace.db";

/** Writes a database whose single table has many pages. */
function writeDatabase(file: string, state: string, mode: "WAL" | "DELETE" = "WAL"): void {
  const raw = new Database(file);
  raw.pragma(`journal_mode = ${mode}`);
  raw.exec("CREATE TABLE states (state TEXT, filling BLOB)");
  const insert = raw.prepare("INSERT INTO states VALUES (?, randomblob(10000))");
  for (let row = 0; row < 50; row++) insert.run(state);
  raw.close();
}

/** The state of an intact database; "empty" without tables. */
function stateOf(file: string): unknown {
  const raw = new Database(file, { fileMustExist: true });
  try {
    if (raw.pragma("integrity_check(1)", { simple: true }) !== "ok") return "damaged";
    if (!raw.prepare("SELECT 1 FROM sqlite_schema").get()) return "empty";
    return raw.prepare("SELECT DISTINCT state FROM states").pluck().get();
  } finally {
    raw.close();
  }
}

let folder: string;
const inFolder = (...names: string[]) => join(folder, ...names);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-restore-"));
  writeDatabase(inFolder(DATABASE), "present");
  for (const name of ["audit.head", "audit.key"]) writeFileSync(inFolder(name), `present ${name}`);
  mkdirSync(inFolder("runs", "run_1"), { recursive: true });
  writeFileSync(inFolder("runs", "run_1", "out_1.json"), "present run");
  clearStaged(folder);
  mkdirSync(stagedFolder(folder));
  for (const name of [DATABASE, WORKSPACE])
    writeDatabase(join(stagedFolder(folder), name), "restored", "DELETE");
  planRestore(folder, PLAN);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PRESENT = {
  "audit.head": "present audit.head",
  "audit.key": "present audit.key",
  "quarterdeck.sqlite": "present",
  "runs/run_1/out_1.json": "present run",
};
const RESTORED = {
  "audit.key": "present audit.key",
  "quarterdeck.sqlite": "restored",
  "workspace.db": "restored",
};

/** The data folder's files with their contents. */
function contents(): Record<string, unknown> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && !/-(wal|shm)$/.test(item.name))
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();
  const read = (name: string) =>
    /\.(sqlite|db)$/.test(name) ? stateOf(inFolder(name)) : readFileSync(inFolder(name), "utf8");
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

function writeState(state: string): void {
  const plan = JSON.parse(readFileSync(inFolder("restore/plan.json"), "utf8")) as object;
  const present = [DATABASE, "runs", "audit.head"];
  writeFileSync(inFolder("restore/plan.json"), JSON.stringify({ ...plan, state, present }));
}

describe("a restore", () => {
  it("replaces the files, and deletes the previous ones once the restored console responds", async () => {
    expect((await applyRestore(folder)).plan).toEqual(
      expect.objectContaining({ state: "started", name: "one.tar.gz", putAside: [] }),
    );
    expect(readFileSync(inFolder("restore/previous/runs/run_1/out_1.json"), "utf8")).toBe("present run");
    finishRestore(folder);
    expect(contents()).toEqual(RESTORED);
  });

  it("overwrites databases in place: another process that has them open reads the restored ones, or the old ones again", async () => {
    writeDatabase(inFolder(WORKSPACE), "present");
    rmSync(join(stagedFolder(folder), WORKSPACE));
    const inodes = [DATABASE, WORKSPACE].map((name) => statSync(inFolder(name)).ino);
    const reader = new Database(inFolder(DATABASE), { readonly: true });
    const read = reader.prepare("SELECT DISTINCT state FROM states").pluck();
    expect(read.get()).toBe("present");
    const { plan } = await applyRestore(folder);
    // A database that the backup doesn't have is emptied, not removed.
    expect([read.get(), stateOf(inFolder(WORKSPACE))]).toEqual(["restored", "empty"]);
    expect(await undoRestore(folder, { present: plan?.present ?? [] })).toEqual([]);
    expect(read.get()).toBe("present");
    reader.close();
    expect([DATABASE, WORKSPACE].map((name) => statSync(inFolder(name)).ino)).toEqual(inodes);
    expect(contents()).toEqual({ ...PRESENT, [WORKSPACE]: "present" });
  });

  it("waits for another process that writes the database", async () => {
    const writer = new Database(inFolder(DATABASE));
    writer.exec("BEGIN IMMEDIATE; INSERT INTO states VALUES ('late', NULL)");
    const restored = applyRestore(folder);
    // The copy of the present state is whole, so that its overwriting waits.
    await expect.poll(() => existsSync(inFolder("restore/previous", DATABASE))).toBe(true);
    writer.exec("ROLLBACK");
    writer.close();
    await restored;
    expect(stateOf(inFolder(DATABASE))).toBe("restored");
  });

  it.each([
    ["a text", () => writeFileSync(inFolder(DATABASE), "no database ".repeat(1000))],
    ["half of it", () => truncateSync(inFolder(DATABASE), 200_000)],
  ])("puts a database aside that SQLite can't overwrite: %s", async (_, damage) => {
    damage();
    const damagedBytes = readFileSync(inFolder(DATABASE));
    expect((await applyRestore(folder)).plan?.putAside).toEqual([DATABASE]);
    expect(readFileSync(inFolder("restore/previous", DATABASE)).equals(damagedBytes)).toBe(true);
    expect(stateOf(inFolder(DATABASE))).toBe("restored");
    expect((await applyRestore(folder)).interrupted?.putAside).toEqual([DATABASE]);
    expect(readFileSync(inFolder(DATABASE)).equals(damagedBytes)).toBe(true);
  });

  it("overwrites a database without a byte in place", async () => {
    truncateSync(inFolder(DATABASE));
    expect((await applyRestore(folder)).plan?.putAside).toEqual([]);
    expect(stateOf(inFolder(DATABASE))).toBe("restored");
    expect((await applyRestore(folder)).interrupted?.putAside).toEqual([]);
    expect(stateOf(inFolder(DATABASE))).toBe("empty");
  });

  it("overwrites a database in place of which pages are damaged", async () => {
    const bytes = readFileSync(inFolder(DATABASE));
    writeFileSync(inFolder(DATABASE), bytes.fill(7, 5000, 300_000));
    expect((await applyRestore(folder)).plan?.putAside).toEqual([]);
    expect(stateOf(inFolder(DATABASE))).toBe("restored");
  });

  it("keeps the previous files in a folder of their own if they have no backup", async () => {
    planRestore(folder, { ...PLAN, keptIn: "replaced/today" });
    await applyRestore(folder);
    finishRestore(folder);
    const { "audit.key": _, ...replaced } = PRESENT;
    const moved = Object.entries(replaced).map(([name, text]) => [`replaced/today/${name}`, text]);
    expect(contents()).toEqual({ ...RESTORED, ...Object.fromEntries(moved) });
  });

  it("goes on with keeping them after a kill", async () => {
    planRestore(folder, { ...PLAN, keptIn: "replaced/today" });
    await applyRestore(folder);
    writeState("done");
    expect(await applyRestore(folder)).toEqual({});
    expect(Object.keys(contents())).toContain("replaced/today/quarterdeck.sqlite");
    expect(stateOf(inFolder(DATABASE))).toBe("restored");
    expect(existsSync(inFolder("restore"))).toBe(false);
  });

  it("restores the previous files if the restored console never responded", async () => {
    await applyRestore(folder);
    writeFileSync(inFolder("workspace.db-shm"), "the restored one's");
    expect((await applyRestore(folder)).interrupted?.name).toBe("one.tar.gz");
    expect(contents()).toEqual(PRESENT);
    expect(await applyRestore(folder)).toEqual({});
  });

  const copy = () => {
    mkdirSync(inFolder("restore/previous"), { recursive: true });
    cpSync(inFolder(DATABASE), inFolder("restore/previous", DATABASE));
  };
  const overwrite = () => overwriteDatabase(join(stagedFolder(folder), DATABASE), inFolder(DATABASE));
  const place = () => cpSync(join(stagedFolder(folder), WORKSPACE), inFolder(WORKSPACE));
  const move = (name: string) => () => {
    cpSync(inFolder(name), inFolder("restore/previous", name), { recursive: true });
    rmSync(inFolder(name), { recursive: true });
  };
  const steps = [copy, overwrite, place, move("runs"), move("audit.head")];
  it.each([...steps.keys(), steps.length])(
    "brings the previous files back after a kill with %i steps done",
    async (done) => {
      writeState("moving");
      for (const step of steps.slice(0, done)) await step();
      expect((await applyRestore(folder)).interrupted?.name).toBe("one.tar.gz");
      expect(contents()).toEqual(PRESENT);
    },
  );

  it("brings files back that an earlier version put away, with their write-ahead log", async () => {
    const writer = new Database(inFolder(DATABASE));
    writer.exec("UPDATE states SET state = 'in the log'");
    mkdirSync(inFolder("restore/previous"));
    for (const end of ["", "-wal", "-shm"])
      cpSync(inFolder(DATABASE + end), inFolder("restore/previous", DATABASE + end));
    writer.close();
    writeState("started");
    await overwrite();
    await applyRestore(folder);
    expect(stateOf(inFolder(DATABASE))).toBe("in the log");
  });

  it("changes nothing if the plan can't be read", async () => {
    await applyRestore(folder);
    writeFileSync(inFolder("restore/plan.json"), "{");
    await expect(applyRestore(folder)).rejects.toThrow(/damaged/);
    expect(() => clearStaged(folder)).toThrow(/damaged/);
    expect(existsSync(inFolder("restore/previous/quarterdeck.sqlite"))).toBe(true);
  });

  it("deletes files at the next start that were only unpacked", async () => {
    rmSync(inFolder("restore/plan.json"));
    expect(await applyRestore(folder)).toEqual({});
    expect(contents()).toEqual(PRESENT);
  });
});
