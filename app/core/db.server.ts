import { AsyncLocalStorage } from "node:async_hooks";
import Database from "better-sqlite3";
import { and, type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "~db/schema";
import { runInBackground, yieldToEventLoop } from "./background.server";
import { kept } from "./process.server";
import { defineTextFunctions, loadVectorExtension, type VectorExtension } from "./sqlite-extensions.server";

export { containsWords, nameHasWords, wordsQuery } from "./sqlite-extensions.server";

export type Db = BetterSQLite3Database<typeof schema>;

/** Before 3.51.3 a WAL reset could corrupt the file. */
const MINIMUM_SQLITE = "3.51.3";

interface Handle {
  raw: Database.Database;
  orm: Db;
  depth: number;
  writes: number;
  waiting: QueuedWrite[];
  vectors: VectorExtension;
}

interface QueuedWrite {
  work: (tx: Db) => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

// The connection survives module re-evaluation in development.
const holder = () => kept("database", (): { open?: Handle | undefined } => ({}));

export function openConnection(file: string): Database.Database {
  const raw = new Database(file, { timeout: 5000 });
  const version = String(raw.prepare("select sqlite_version()").pluck().get());
  if (version.localeCompare(MINIMUM_SQLITE, "en", { numeric: true }) < 0)
    throw new Error(`SQLite ${version} is too old: ${MINIMUM_SQLITE} or newer is needed.`);
  raw.pragma("journal_mode = WAL");
  // FULL, not WAL's usual NORMAL: an acknowledged write survives a loss of power.
  raw.pragma("synchronous = FULL");
  raw.pragma("foreign_keys = ON");
  raw.pragma("busy_timeout = 5000");
  defineTextFunctions(raw);
  return raw;
}

export function setDatabase(raw: Database.Database): void {
  closeDatabase();
  const vectors = loadVectorExtension(raw);
  holder().open = { raw, orm: drizzle(raw, { schema }), depth: 0, writes: 0, waiting: [], vectors };
}

export function closeDatabase(): void {
  const { open } = holder();
  open?.raw.close();
  holder().open = undefined;
}

function handle(): Handle {
  const { open } = holder();
  if (!open) throw new Error("The database is not open.");
  return open;
}

export const db = (): Db => handle().orm;

/** While it is unchanged, earlier reads are valid. */
export const writeCount = (): number => handle().writes;

export const vectorExtension = (): VectorExtension => handle().vectors;

export const rawDatabase = (): Database.Database => handle().raw;

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

const commitListeners = new Map<() => void, string>();

/** The listener must be quick; the commit stands if it throws. @returns a function to unsubscribe */
export function onCommit(name: string, listener: () => void): () => void {
  commitListeners.set(listener, name);
  return () => void commitListeners.delete(listener);
}

function runTransaction<T>(current: Handle, work: (tx: Db) => T): T {
  let committed = false;
  current.raw.exec("BEGIN IMMEDIATE");
  current.depth = 1;
  current.writes += 1;
  try {
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
    if (committed) for (const [listener, name] of [...commitListeners]) runInBackground(name, listener);
  }
}

/** Runs each of several writes in a savepoint, so that one failure doesn't undo the others. */
function runQueued(current: Handle, batch: readonly QueuedWrite[]): (() => void)[] {
  const settle: (() => void)[] = [];
  const isSingle = batch.length === 1;
  const runOne = (entry: QueuedWrite, tx: Db): void => {
    const run = () => {
      const result = entry.work(tx);
      settle.push(() => entry.resolve(result));
    };
    if (isSingle) {
      run();
      return;
    }
    current.raw.exec("SAVEPOINT one_of_many");
    try {
      run();
    } catch (error) {
      if (!current.raw.inTransaction) throw error;
      current.raw.exec("ROLLBACK TO one_of_many");
      settle.push(() => entry.reject(error));
    }
    current.raw.exec("RELEASE one_of_many");
  };
  transaction((tx) => {
    for (const entry of batch) runOne(entry, tx);
  });
  return settle;
}

function commitQueued(current: Handle): void {
  const batch = current.waiting;
  current.waiting = [];
  let settle: readonly (() => void)[];
  try {
    settle = runQueued(current, batch);
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return;
  }
  for (const finish of settle) finish();
}

/** Like `transaction`, but calls within one event-loop tick share a commit and its disk sync. */
export function groupedTransaction<T>(work: (tx: Db) => T): Promise<T> {
  const current = handle();
  return new Promise<T>((resolve, reject) => {
    if (current.waiting.length === 0) setImmediate(() => commitQueued(current));
    // Another caller's write may have scheduled the commit.
    const inContext = AsyncLocalStorage.snapshot();
    current.waiting.push({
      work: (tx) => inContext(work, tx),
      resolve: resolve as (result: unknown) => void,
      reject,
    });
  });
}

/** Longest time a batch may block the event loop (ms). */
const BUDGET = 5;

interface BatchOptions {
  /** Time budget of one transaction; at least one item is processed. */
  budgetMs?: number | undefined;
  signal?: AbortSignal | undefined;
  durable?: boolean | undefined;
  after?: (() => Promise<void>) | undefined;
}

/**
 * Processes items in short transactions with event-loop yields between them. Committed items stay when a
 * later one throws or the signal aborts, so the work must be repeatable.
 * @param work runs synchronously inside a transaction, per item
 * @throws the signal's reason
 */
export async function runInBatches<T>(
  items: Iterable<T>,
  work: (tx: Db, item: T) => void,
  { budgetMs = BUDGET, signal, durable = true, after }: BatchOptions = {},
): Promise<number> {
  const waiting = items[Symbol.iterator]();
  let next = waiting.next();
  let count = 0;
  while (!next.done) {
    await yieldToEventLoop();
    signal?.throwIfAborted();
    transaction(
      (tx) => {
        const end = performance.now() + budgetMs;
        do {
          work(tx, next.value);
          count += 1;
          next = waiting.next();
        } while (!next.done && performance.now() < end);
      },
      { durable },
    );
    await after?.();
  }
  if (count > 0) await yieldToEventLoop();
  return count;
}

/**
 * Prepares a statement once per connection, for hot paths: drizzle's query builder takes ten times as long as SQLite.
 */
export function prepared<S>(prepare: (db: Db) => S): (db: Db) => S {
  const statements = new WeakMap<Db, S>();
  return (db) => {
    const statement = statements.get(db) ?? prepare(db);
    statements.set(db, statement);
    return statement;
  };
}

type Row<T extends SQLiteTable> = T["$inferSelect"];
type Names<T extends SQLiteTable> = readonly (keyof Row<T> & string)[];
type Values<T extends SQLiteTable, K extends Names<T>> = { [I in keyof K]: Row<T>[K[I]] };

const keysOf = (table: SQLiteTable, names: readonly string[]): SQL | undefined =>
  and(...names.map((name) => sql`${getTableColumns(table)[name]} = ${sql.placeholder(name)}`));

const valuesOf = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, at) => [name, values[at]]));

const placeholdersOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));

/** Finds a row by the values of some text or number columns, prepared once. */
export function preparedFind<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(keysOf(table, names))
      .limit(1)
      .prepare(),
  );
  return (db: Db, ...values: Values<T, K>): Row<T> | undefined => statement(db).get(valuesOf(names, values));
}

/** Checks whether a row has these column values; see `preparedFind`. */
export function preparedHas<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) =>
    db
      .select({ one: sql`1` })
      .from(table as SQLiteTable)
      .where(keysOf(table, names))
      .limit(1)
      .prepare(),
  );
  return (db: Db, ...values: Values<T, K>): boolean =>
    statement(db).get(valuesOf(names, values)) !== undefined;
}

/** Deletes all rows with these column values; see `preparedFind`. */
export function preparedDelete<T extends SQLiteTable, const K extends Names<T>>(table: T, ...names: K) {
  const statement = prepared((db) => db.delete(table).where(keysOf(table, names)).prepare());
  return (db: Db, ...values: Values<T, K>): void => void statement(db).run(valuesOf(names, values));
}

/** Encodes a placeholder's value. A drizzle placeholder would encode null too. */
export function encode(column: Column, value: unknown): unknown {
  const input = value === undefined ? column.default : value;
  return input === undefined || input === null ? null : column.mapToDriverValue(input);
}

export function preparedInsert<T extends SQLiteTable>(table: T): (db: Db, row: T["$inferInsert"]) => void {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([, column]) => !("autoIncrement" in column && column.autoIncrement),
  );
  const statement = prepared((db) => {
    const values = placeholdersOf(columns.map(([name]) => name));
    return db
      .insert(table)
      .values(values as T["$inferInsert"])
      .prepare();
  });
  return (db, row) => {
    const values = row as Record<string, unknown>;
    statement(db).run(
      Object.fromEntries(columns.map(([name, column]) => [name, encode(column, values[name])])),
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
    const cached = statements.get(names.join());
    if (cached) return cached;
    const guarded = guard ? sql` AND ${columns[guard]} = ${sql.placeholder("$guard")}` : sql``;
    const statement = prepared((db) =>
      db
        .update(table)
        .set(placeholdersOf(names) as Partial<T["$inferInsert"]>)
        .where(sql`${columns[key]} = ${sql.placeholder("$key")}${guarded}`)
        .prepare(),
    );
    statements.set(names.join(), statement);
    return statement;
  };
  return (db, id, change, is) => {
    const update = change as Record<string, unknown>;
    const changed = Object.entries(columns).filter(([name]) => update[name] !== undefined);
    if (changed.length === 0) return 0;
    const values = changed.map(([name, column]) => [name, encode(column, update[name])]);
    const given = { ...Object.fromEntries(values), $key: id, ...(guard ? { $guard: is } : {}) };
    const statement = statementFor(changed.map(([name]) => name));
    return (statement(db).run(given) as { changes: number }).changes;
  };
}
