import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { closeDatabase, db, openConnection, rawDatabase, transaction } from "./db.server";

describe("the database connection", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
    rawDatabase().exec("CREATE TABLE notes (text TEXT NOT NULL)");
  });
  afterEach(() => test.close());

  const write = (text: string) => rawDatabase().prepare("INSERT INTO notes VALUES (?)").run(text);
  const notes = () => rawDatabase().prepare("SELECT text FROM notes ORDER BY rowid").pluck().all();

  it("survives a loss of power: WAL, synchronous FULL, foreign keys on", () => {
    expect(rawDatabase().pragma("journal_mode", { simple: true })).toBe("wal");
    expect(rawDatabase().pragma("synchronous", { simple: true })).toBe(2);
    expect(rawDatabase().pragma("foreign_keys", { simple: true })).toBe(1);
    expect(rawDatabase().pragma("busy_timeout", { simple: true })).toBe(5000);
  });

  it("commits a transaction and returns its result", () => {
    expect(transaction(() => write("kept").changes)).toBe(1);
    expect(notes()).toEqual(["kept"]);
  });

  it("waits for the disk, but for what needn't be durable", () => {
    const level = () => rawDatabase().pragma("synchronous", { simple: true });
    expect(transaction(level)).toBe(2);
    expect(transaction(level, { durable: false })).toBe(1);
    const refused = () => {
      throw new Error("refused");
    };
    expect(() => transaction(refused, { durable: false })).toThrow("refused");
    expect(() => transaction(async () => undefined, { durable: false })).toThrow("must not wait");
    expect([level(), transaction(level)]).toEqual([2, 2]);
    // A nested transaction is as durable as its parent.
    expect(transaction(() => transaction(level, { durable: false }))).toBe(2);
  });

  it("undoes everything when the work throws, nested work included", () => {
    expect(() =>
      transaction(() => {
        write("outer");
        transaction(() => write("inner"));
        throw new Error("refused");
      }),
    ).toThrow("refused");
    expect(notes()).toEqual([]);
    expect(rawDatabase().inTransaction).toBe(false);
  });

  it("joins a running transaction, so that use cases compose", () => {
    transaction(() => {
      write("outer");
      transaction(() => write("inner"));
      expect(rawDatabase().inTransaction).toBe(true);
    });
    expect(notes()).toEqual(["outer", "inner"]);
  });

  it("refuses work that waits, and undoes it", () => {
    expect(() => transaction(async () => write("late"))).toThrow("must not wait");
    expect(notes()).toEqual([]);
  });

  it("works again after a transaction that failed", () => {
    expect(() => transaction(() => rawDatabase().exec("INSERT INTO nowhere VALUES (1)"))).toThrow();
    transaction(() => write("next"));
    expect(notes()).toEqual(["next"]);
  });

  it("holds the write lock from the start, so that two writers can't both read first", () => {
    const other = openConnection(rawDatabase().name);
    other.pragma("busy_timeout = 0");
    transaction(() => expect(() => other.exec("BEGIN IMMEDIATE")).toThrow("locked"));
    other.close();
  });

  it("says so when it isn't open", () => {
    closeDatabase();
    expect(() => db()).toThrow("The database is not open.");
  });
});

describe("openConnection", () => {
  it("refuses a file that is no database", () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-db-"));
    writeFileSync(join(folder, "x.sqlite"), "this is a letter to my grandmother".repeat(100));
    expect(() => openConnection(join(folder, "x.sqlite"))).toThrow("not a database");
    rmSync(folder, { recursive: true, force: true });
  });
});
