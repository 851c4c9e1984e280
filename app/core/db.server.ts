import Database from "better-sqlite3";
import { type Column, getTableColumns, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "~db/schema";
import { log } from "./log.server";
import { defineTextMatch } from "./text-match.server";
import { loadVectorExtension, type VectorExtension } from "./vector-extension.server";

export { holdsText, holdsWords } from "./text-match.server";

export type Db = BetterSQLite3Database<typeof schema>;

/** Before 3.51.3 a WAL reset could corrupt the file. */
const MINIMUM_SQLITE = [3, 51, 3] as const;

interface Handle {
  raw: Database.Database;
  orm: Db;
  depth: number;
  writes: number;
  waiting: Waiting[];
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

// The connection survives module re-evaluation in development.
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

export function db(): Db {
  return handle().orm;
}

/** While it is unchanged, earlier reads are valid. */
export function writeCount(): number {
  return handle().writes;
}

export function vectorExtension(): VectorExtension {
  return handle().vectors;
}

export function rawDatabase(): Database.Database {
  return handle().raw;
}

/**
 * Runs `work` synchronously in one write transaction (`BEGIN IMMEDIATE`). A nested call joins it; an
 * exception rolls it back.
 * @param options.durable false skips the disk sync, so a power loss can undo it
 * (https://sqlite.org/pragma.html#pragma_synchronous)
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

/** The listener must be quick and must not throw. @returns a function to unsubscribe */
export function onCommit(listener: () => void): () => void {
  commitListeners.add(listener);
  return () => void commitListeners.delete(listener);
}

/** Runs in a savepoint, so that a failure rolls back only this write. @returns whether it succeeded */
function runJoining(current: Handle, key: string, { work }: Joining): boolean {
  let succeeded = true;
  current.raw.exec("SAVEPOINT joining");
  try {
    work(current.orm);
  } catch (error) {
    // SQLite has rolled back the whole transaction itself, for example on a full disk.
    if (!current.raw.inTransaction) throw error;
    current.raw.exec("ROLLBACK TO joining");
    current.joining.delete(key);
    log.error("a joining write failed", { key, error });
    succeeded = false;
  }
  current.raw.exec("RELEASE joining");
  return succeeded;
}

function runTransaction<T>(current: Handle, work: (tx: Db) => T): T {
  let committed = false;
  let joined: readonly (readonly [string, Joining])[] = [];
  current.raw.exec("BEGIN IMMEDIATE");
  current.depth = 1;
  current.writes += 1;
  try {
    joined = [...current.joining].filter(([key, entry]) => runJoining(current, key, entry));
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

/** Runs each queued work in a savepoint, so that one failure doesn't undo the others. */
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
  for (const finish of settle) finish();
}

/**
 * Like `transaction`, but calls within one turn of the event loop share a commit and its disk sync. Resolves after the
 * commit.
 */
export function groupedTransaction<T>(work: (tx: Db) => T): Promise<T> {
  const current = handle();
  return new Promise<T>((resolve, reject) => {
    if (current.waiting.length === 0) setImmediate(() => commitWaiting(current));
    current.waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
  });
}

/** Maximum delay before a joining write is committed (ms). */
const JOIN_WITHIN = 250;

/**
 * For writes nobody waits for: runs in the next transaction, or in its own after a delay. A later call with
 * the same key replaces it.
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
      // It stays queued for the next commit.
      log.warn("a joining write is retried with the next commit", { error });
    }
  };
  setTimeout(flush, JOIN_WITHIN).unref();
}

/**
 * Prepares a statement once per connection, for hot paths: drizzle's query builder takes ten times as long as SQLite.
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

/** Encodes a placeholder's value. A drizzle placeholder would encode null too. */
export function encode(column: Column, value: unknown): unknown {
  const given = value === undefined ? column.default : value;
  return given === undefined || given === null ? null : column.mapToDriverValue(given);
}

export function preparedInsert<T extends SQLiteTable>(table: T): (db: Db, row: T["$inferInsert"]) => void {
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
 * An update of one row by key, prepared once per set of changed columns. Ignores undefined values.
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

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`;

/**
 * A query of a trigram index, which matches anywhere in a text. Undefined if no word has three characters.
 */
export function trigramQuery(words: readonly string[]): string | undefined {
  const long = words.filter((word) => [...word].length >= 3);
  return long.length > 0 ? long.map(quoted).join(" AND ") : undefined;
}

/** A prefix query of a word index. Undefined if no word has a letter or digit. */
export function wordsQuery(words: readonly string[]): string | undefined {
  const spoken = words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  return spoken.length > 0 ? spoken.map((word) => `${quoted(word)}*`).join(" AND ") : undefined;
}
