import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findCorruption } from "./integrity-check.server";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-check-"));
  file = join(folder, "one.sqlite");
  change("CREATE TABLE notes (text); CREATE INDEX by_text ON notes (text); INSERT INTO notes VALUES ('one')");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function change(sql: string): void {
  const raw = new Database(file);
  raw.unsafeMode();
  raw.exec(sql);
  raw.close();
}

/** Adds a row while SQLite doesn't know the index. */
function leaveIndexBehind(): void {
  change("CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'by_text'");
  change("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'by_text'");
  change("INSERT INTO notes VALUES ('two')");
  change("PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept");
}

describe("a check of a database", () => {
  it("finds nothing in an intact, an empty and a missing one", () => {
    for (const extent of ["quick", "full"] as const) expect(findCorruption(file, extent)).toBeUndefined();
    writeFileSync(file, "");
    expect(findCorruption(file, "full")).toBeUndefined();
    rmSync(file);
    expect(findCorruption(file, "full")).toBeUndefined();
  });

  it("finds an overwritten page quickly, and another file in its place", () => {
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 7), 0, 4096, 4096);
    closeSync(descriptor);
    expect(findCorruption(file, "quick")).toMatch(/Tree 2|malformed/);
    writeFileSync(file, "no database".repeat(1000));
    expect(findCorruption(file, "quick")).toBe("file is not a database");
  });

  it("finds an index that lacks a row only as a whole", () => {
    leaveIndexBehind();
    expect(findCorruption(file, "full")).toMatch(/row 2 missing from index by_text|wrong # of entries/);
  });
});
