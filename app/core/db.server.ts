import Database from "better-sqlite3";
import { type Column, getTableColumns, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "~db/schema";
import { log } from "./log.server";
import { defineTextMatch } from "./text-match.server";
import { loadVectorExtension, type VectorExtension } from "./vector-extension.server";

export { holdsText, holdsWords } from "./text-match.server";

/** What a repo gets: the open transaction, or the connection itself for a single read. */
export type Db = BetterSQLite3Database<typeof schema>;

/** Before 3.51.3 a WAL reset could corrupt the file. */
const MINIMUM_SQLITE = [3, 51, 3] as const;

interface Handle {
  raw: Database.Database;
  orm: Db;
  /** How deep the running synchronous transaction is nested; 0 outside. */
  depth: number;
  /** Grows with each write transaction, as it begins and as it ends. */
  writes: number;
  /** What waits for the next common commit. */
  waiting: Waiting[];
  /** What is written with the next commit, by key. */
  joining: Map<string, Joining>;
  vectors: VectorExtension;
}

interface Joining {
  work: (tx: Db) => void;
  committed: () => void;
}

interface Waiting {
  work: (tx: Db) => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

// A development server evaluates modules again on each change; the connection must outlive that.
const holder = globalThis as typeof globalThis & { quarterdeckDb?: Handle };

function assertVersion(raw: Database.Database): void {
  const version = raw.prepare("select sqlite_version()").pluck().get() as string;
  const parts = version.split(".").map(Number);
  for (const [index, least] of MINIMUM_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least)
      throw new Error(`SQLite ${version} is too old: ${MINIMUM_SQLITE.join(".")} or newer is needed.`);
  }
}

/** Opens a connection with the settings every writer needs. Time-outs are in milliseconds. */
export function openConnection(file: string): Database.Database {
  const raw = new Database(file, { timeout: 5000 });
  assertVersion(raw);
  raw.pragma("journal_mode = WAL");
  // FULL, not WAL's usual NORMAL: an acknowledged write survives a loss of power.
  raw.pragma("synchronous = FULL");
  raw.pragma("foreign_keys = ON");
  raw.pragma("busy_timeout = 5000");
  defineTextMatch(raw);
  return raw;
}

/** Makes a connection the process's one writer. */
export function setDatabase(raw: Database.Database): void {
  closeDatabase();
  const vectors = loadVectorExtension(raw);
  holder.quarterdeckDb = {
    raw,
    orm: drizzle(raw, { schema }),
    depth: 0,
    writes: 0,
    waiting: [],
    joining: new Map(),
    vectors,
  };
}

export function closeDatabase(): void {
  holder.quarterdeckDb?.raw.close();
  holder.quarterdeckDb = undefined;
}

function handle(): Handle {
  if (!holder.quarterdeckDb) throw new Error("The database is not open.");
  return holder.quarterdeckDb;
}

/** The single writer connection, for reads outside a transaction. */
export function db(): Db {
  return handle().orm;
}

/** Changes whenever something may have been written: as long as it stays, what was read still holds. */
export function writeCount(): number {
  return handle().writes;
}

/** Whether vectors can be searched in this file, as it turned out when it was opened. */
export function vectorExtension(): VectorExtension {
  return handle().vectors;
}

/** The connection below drizzle, for pragmas, backup and prepared hot paths. */
export function rawDatabase(): Database.Database {
  return handle().raw;
}

/**
 * Runs `work` in one write transaction (`BEGIN IMMEDIATE`), synchronously: nothing in it may wait for I/O. A call
 * inside a running transaction joins it, so that use cases compose. Throwing rolls everything back.
 * @param options.durable false for data that can be rebuilt and that no one has seen acknowledged: the commit doesn't
 * wait for the disk. A kill loses nothing; a power loss can undo commits since the last durable one
 * (https://sqlite.org/pragma.html#pragma_synchronous).
 */
export function transaction<T>(work: (tx: Db) => T, { durable = true }: { durable?: boolean } = {}): T {
  const current = handle();
  if (current.depth > 0) return work(current.orm);
  if (!durable) current.raw.exec("PRAGMA synchronous = NORMAL");
  try {
    return runTransaction(current, work);
  } finally {
    if (!durable) current.raw.exec("PRAGMA synchronous = FULL");
  }
}

const commitListeners = new Set<() => void>();

/** Calls a listener after each commit. It must be quick and must not throw. @returns the way to stop */
export function onCommit(listener: () => void): () => void {
  commitListeners.add(listener);
  return () => void commitListeners.delete(listener);
}

/** Runs a joining write in a savepoint of its own. One that throws is dropped, and takes back nothing else. */
function runJoining(current: Handle, key: string, { work }: Joining): void {
  current.raw.exec("SAVEPOINT joining");
  try {
    work(current.orm);
  } catch (error) {
    // SQLite has rolled back the whole transaction itself, for example on a full disk.
    if (!current.raw.inTransaction) throw error;
    current.raw.exec("ROLLBACK TO joining");
    current.joining.delete(key);
    log.error("a joining write failed", { key, error });
  }
  current.raw.exec("RELEASE joining");
}

function runTransaction<T>(current: Handle, work: (tx: Db) => T): T {
  let committed = false;
  let joined: readonly (readonly [string, Joining])[] = [];
  current.raw.exec("BEGIN IMMEDIATE");
  current.depth = 1;
  current.writes += 1;
  try {
    joined = [...current.joining];
    for (const [key, entry] of joined) runJoining(current, key, entry);
    const result = work(current.orm);
    if (result instanceof Promise) throw new Error("A transaction must not wait.");
    current.raw.exec("COMMIT");
    committed = true;
    return result;
  } catch (error) {
    if (current.raw.inTransaction) current.raw.exec("ROLLBACK");
    throw error;
  } finally {
    current.depth = 0;
    current.writes += 1;
    if (committed) {
      for (const [key, entry] of joined) if (current.joining.get(key) === entry) current.joining.delete(key);
      for (const listener of [...commitListeners]) listener();
      for (const [, entry] of joined) entry.committed();
    }
  }
}

/** Runs what waits, each in a savepoint of its own: one that throws takes back nothing of the others. */
function commitWaiting(current: Handle): void {
  const batch = current.waiting;
  current.waiting = [];
  const settle: (() => void)[] = [];
  try {
    transaction((tx) => {
      for (const { work, resolve, reject } of batch) {
        current.raw.exec("SAVEPOINT one_of_many");
        try {
          const result = work(tx);
          settle.push(() => resolve(result));
        } catch (error) {
          // SQLite has rolled back the whole transaction itself, for example on a full disk.
          if (!current.raw.inTransaction) throw error;
          current.raw.exec("ROLLBACK TO one_of_many");
          settle.push(() => reject(error));
        }
        current.raw.exec("RELEASE one_of_many");
      }
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return;
  }
  for (const tell of settle) tell();
}

/**
 * Like `transaction`, but calls within one turn of the event loop share one commit, and so one disk sync. Resolves when
 * it is committed.
 */
export function groupedTransaction<T>(work: (tx: Db) => T): Promise<T> {
  const current = handle();
  return new Promise<T>((resolve, reject) => {
    if (current.waiting.length === 0) setImmediate(() => commitWaiting(current));
    current.waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
  });
}

/** How long a write waits for a commit to join, in ms. */
const JOIN_WITHIN = 250;

/**
 * A write without a commit of its own, for what no one waits for: it runs at the begin of the next transaction, or in
 * one of its own soon. A later one with the same key replaces it.
 */
export function joinNextCommit(key: string, work: (tx: Db) => void, committed: () => void): void {
  const current = handle();
  const isFirst = current.joining.size === 0;
  // The order of writes is that of the calls.
  current.joining.delete(key);
  current.joining.set(key, { work, committed });
  if (!isFirst) return;
  const flush = () => {
    if (holder.quarterdeckDb !== current || current.joining.size === 0) return;
    try {
      transaction(() => undefined, { durable: false });
    } catch (error) {
      // It joins the next commit that succeeds.
      log.warn("a joining write waits for another commit", { error });
    }
  };
  setTimeout(flush, JOIN_WITHIN).unref();
}

/**
 * Prepares a statement once per connection. On hot paths drizzle's query builder costs ten times what the statement
 * does.
 */
export function prepared<S>(prepare: (db: Db) => S): (db: Db) => S {
  const made = new WeakMap<Db, S>();
  return (db) => {
    let statement = made.get(db);
    if (statement === undefined) {
      statement = prepare(db);
      made.set(db, statement);
    }
    return statement;
  };
}

/** A value for a placeholder, through the column's own encoding, which a placeholder would also use for null. */
export function encode(column: Column, value: unknown): unknown {
  const given = value === undefined ? column.default : value;
  return given === undefined || given === null ? null : column.mapToDriverValue(given);
}

/** An insert of whole rows by a statement that is made once. What a row leaves out is its column's default. */
export function preparedInsert<T extends SQLiteTable>(table: T): (db: Db, row: T["$inferInsert"]) => void {
  // An autoincrement key isn't set.
  const columns = Object.entries(getTableColumns(table)).filter(
    ([, column]) => !("autoIncrement" in column && column.autoIncrement),
  );
  const statement = prepared((db) => {
    const values = columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]);
    return db
      .insert(table)
      .values(Object.fromEntries(values) as T["$inferInsert"])
      .prepare();
  });
  return (db, row) => {
    const given = row as Record<string, unknown>;
    statement(db).run(
      Object.fromEntries(columns.map(([name, column]) => [name, encode(column, given[name])])),
    );
  };
}

/**
 * An update of one row by its key, prepared once for each set of columns that is changed. An undefined value changes
 * nothing.
 *
 * @param guard a column that must have the value `is` for the row to change
 * @returns how many rows were changed
 */
export function preparedUpdate<
  T extends SQLiteTable,
  K extends keyof T["$inferInsert"] & string,
  G extends keyof T["$inferInsert"] & string = never,
>(
  table: T,
  key: K,
  guard?: G,
): (db: Db, id: string, change: Partial<T["$inferInsert"]>, is?: T["$inferInsert"][G]) => number {
  const columns = getTableColumns(table);
  const statements = new Map<string, (db: Db) => { run(values: Record<string, unknown>): unknown }>();
  const statementFor = (names: readonly string[]) => {
    const known = statements.get(names.join());
    if (known) return known;
    const guarded = guard ? sql` AND ${columns[guard]} = ${sql.placeholder("$guard")}` : sql``;
    const made = prepared((db) => {
      const values = names.map((name) => [name, sql`${sql.placeholder(name)}`]);
      return db
        .update(table)
        .set(Object.fromEntries(values))
        .where(sql`${columns[key]} = ${sql.placeholder("$key")}${guarded}`)
        .prepare();
    });
    statements.set(names.join(), made);
    return made;
  };
  return (db, id, change, is) => {
    const given = change as Record<string, unknown>;
    const names = Object.keys(columns).filter((name) => given[name] !== undefined);
    if (names.length === 0) return 0;
    const values = names.map((name) => [name, encodeGiven(columns[name], given[name])]);
    const changed = { ...Object.fromEntries(values), $key: id, ...(guard ? { $guard: is } : {}) };
    return (statementFor(names)(db).run(changed) as { changes: number }).changes;
  };
}

const encodeGiven = (column: Column | undefined, value: unknown): unknown =>
  value === null ? null : column?.mapToDriverValue(value);

/** A query of FTS5 that asks for every word as it is written, its operators included. */
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;

/**
 * Words as a query of an index of trigrams, which finds them anywhere in a text; undefined where none has three
 * characters, which such an index can't look up.
 */
export function trigramQuery(words: readonly string[]): string | undefined {
  const long = words.filter((word) => [...word].length >= 3);
  return long.length > 0 ? long.map(quoted).join(" AND ") : undefined;
}

/** Words as a query of an index of words, each the begin of one; undefined where none holds a letter or digit. */
export function wordsQuery(words: readonly string[]): string | undefined {
  const spoken = words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  return spoken.length > 0 ? spoken.map((word) => `${quoted(word)}*`).join(" AND ") : undefined;
}
