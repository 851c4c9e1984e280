import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyRestore, clearStaged, finishRestore, planRestore, stagedFolder } from "./restore-files";

const PLAN = {
  name: "one.tar.gz",
  means: "restore",
  userId: "usr_owner",
  manifest: { format: 1, version: "1", createdAt: "2026-01-02T03:04:05.000Z", auditKey: "key", bytes: 1 },
} as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-restore-"));
  for (const name of ["quarterdeck.sqlite", "quarterdeck.sqlite-wal", "audit.head", "audit.key"])
    writeFileSync(join(folder, name), `present ${name}`);
  mkdirSync(join(folder, "runs", "run_1"), { recursive: true });
  writeFileSync(join(folder, "runs", "run_1", "out_1.json"), "present run");
  clearStaged(folder);
  mkdirSync(stagedFolder(folder));
  for (const name of ["quarterdeck.sqlite", "workspace.db"])
    writeFileSync(join(stagedFolder(folder), name), `restored ${name}`);
  planRestore(folder, PLAN);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PRESENT = {
  "audit.head": "present audit.head",
  "audit.key": "present audit.key",
  "quarterdeck.sqlite": "present quarterdeck.sqlite",
  "quarterdeck.sqlite-wal": "present quarterdeck.sqlite-wal",
  "runs/run_1/out_1.json": "present run",
};
const RESTORED = {
  "audit.key": "present audit.key",
  "quarterdeck.sqlite": "restored quarterdeck.sqlite",
  "workspace.db": "restored workspace.db",
};

/** The data folder's files with their contents. */
function contents(): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  return Object.fromEntries(
    files
      .map((item) => join(item.parentPath, item.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

const MOVED = ["quarterdeck.sqlite", "quarterdeck.sqlite-wal", "runs", "audit.head"] as const;
const PLACED = ["quarterdeck.sqlite", "workspace.db"] as const;

/** Brings the folder to where a kill after so many of the moves leaves it. */
function cutOff(moved: number, placed: number): void {
  const plan = JSON.parse(readFileSync(join(folder, "restore/plan.json"), "utf8")) as object;
  writeFileSync(
    join(folder, "restore/plan.json"),
    JSON.stringify({ ...plan, state: "moving", present: MOVED }),
  );
  mkdirSync(join(folder, "restore/previous"));
  for (const name of MOVED.slice(0, moved))
    renameSync(join(folder, name), join(folder, "restore/previous", name));
  for (const name of PLACED.slice(0, placed))
    renameSync(join(stagedFolder(folder), name), join(folder, name));
}

describe("a restore", () => {
  it("swaps the files, and deletes the previous ones once the restored console responds", () => {
    expect(applyRestore(folder).plan).toEqual(
      expect.objectContaining({ state: "started", name: "one.tar.gz" }),
    );
    expect(readFileSync(join(folder, "restore/previous/runs/run_1/out_1.json"), "utf8")).toBe("present run");
    finishRestore(folder);
    expect(contents()).toEqual(RESTORED);
  });

  it("keeps the previous files in a folder of their own if they have no backup", () => {
    planRestore(folder, { ...PLAN, keptIn: "replaced/today" });
    applyRestore(folder);
    finishRestore(folder);
    const { "audit.key": _, ...replaced } = PRESENT;
    const moved = Object.entries(replaced).map(([name, text]) => [`replaced/today/${name}`, text]);
    expect(contents()).toEqual({ ...RESTORED, ...Object.fromEntries(moved) });
  });

  it("goes on with keeping them after a kill", () => {
    planRestore(folder, { ...PLAN, keptIn: "replaced/today" });
    const { plan } = applyRestore(folder);
    writeFileSync(join(folder, "restore/plan.json"), JSON.stringify({ ...plan, state: "done" }));
    expect(applyRestore(folder)).toEqual({});
    expect(Object.keys(contents())).toContain("replaced/today/quarterdeck.sqlite");
    expect(readFileSync(join(folder, "quarterdeck.sqlite"), "utf8")).toBe("restored quarterdeck.sqlite");
    expect(existsSync(join(folder, "restore"))).toBe(false);
  });

  it("restores the previous files if the restored console never responded", () => {
    applyRestore(folder);
    writeFileSync(join(folder, "quarterdeck.sqlite-wal"), "the restored one's");
    writeFileSync(join(folder, "workspace.db-shm"), "the restored one's");
    expect(applyRestore(folder).interrupted?.name).toBe("one.tar.gz");
    expect(contents()).toEqual(PRESENT);
    expect(applyRestore(folder)).toEqual({});
  });

  it.each([
    ...MOVED.map((_, moved) => [moved, 0] as const),
    ...PLACED.map((_, placed) => [MOVED.length, placed + 1] as const),
  ])(
    "brings the previous files back after a kill with %i files moved away and %i moved in",
    (moved, placed) => {
      cutOff(moved, placed);
      expect(applyRestore(folder).interrupted?.name).toBe("one.tar.gz");
      expect(contents()).toEqual(PRESENT);
    },
  );

  it("changes nothing if the plan can't be read", () => {
    applyRestore(folder);
    writeFileSync(join(folder, "restore/plan.json"), "{");
    expect(() => applyRestore(folder)).toThrow(/damaged/);
    expect(() => clearStaged(folder)).toThrow(/damaged/);
    expect(existsSync(join(folder, "restore/previous/quarterdeck.sqlite"))).toBe(true);
  });

  it("deletes files at the next start that were only unpacked", () => {
    rmSync(join(folder, "restore/plan.json"));
    expect(applyRestore(folder)).toEqual({});
    expect(contents()).toEqual(PRESENT);
  });
});
