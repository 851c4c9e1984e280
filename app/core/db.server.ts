import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import * as schema from "~db/schema";
import { runInBackground } from "./background.server";
import type { Db } from "./db-type";
import { DiskSync } from "./disk-sync.server";
import { kept } from "./kept.server";
import { defineTextMatch } from "./text-match.server";
import { loadVectorExtension, type VectorExtension } from "./vector-extension.server";

export {
  encode,
  prepared,
  preparedDelete,
  preparedFind,
  preparedHas,
  preparedInsert,
  preparedUpdate,
} from "./prepared.server";
export { containsText, containsWords, trigramQuery, wordsQuery } from "./text-match.server";

export type { Db };

/** Before 3.51.3 a WAL reset could corrupt the file. */
const MINIMUM_SQLITE = [3, 51, 3] as const;

interface Handle {
  raw: Database.Database;
  orm: Db;
  depth: number;
  writes: number;
  waiting: QueuedWrite[];
  vectors: VectorExtension;
  /** Of the write-ahead log; undefined without one. */
  sync: DiskSync | undefined;
}

interface QueuedWrite {
  work: (tx: Db) => unknown;
  written: ((result: unknown) => void) | undefined;
  syncsInThread: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

// The connection survives module re-evaluation in development.
const holder = () => kept("database", (): { open?: Handle | undefined } => ({}));

function assertVersion(raw: Database.Database): void {
  const version = raw.prepare("select sqlite_version()").pluck().get() as string;
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of MINIMUM_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > minimum) return;
    if (part < minimum)
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
  holder().open = {
    raw,
    orm: drizzle(raw, { schema }),
    depth: 0,
    writes: 0,
    waiting: [],
    vectors,
    sync: raw.memory ? undefined : new DiskSync(`${raw.name}-wal`),
  };
}

export function closeDatabase(): void {
  const { open } = holder();
  open?.sync?.close();
  open?.raw.close();
  holder().open = undefined;
}

function handle(): Handle {
  const { open } = holder();
  if (!open) throw new Error("The database is not open.");
  return open;
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

/** With the names under which their errors are reported. */
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
function runQueued(current: Handle, batch: readonly QueuedWrite[], durable: boolean): (() => void)[] {
  const settle: (() => void)[] = [];
  const written: (() => void)[] = [];
  const isSingle = batch.length === 1;
  const finish = (entry: QueuedWrite, result: unknown) => {
    settle.push(() => entry.resolve(result));
    written.push(() => entry.written?.(result));
  };
  const runOne = (entry: QueuedWrite, tx: Db): void => {
    if (isSingle) {
      finish(entry, entry.work(tx));
      return;
    }
    current.raw.exec("SAVEPOINT one_of_many");
    try {
      finish(entry, entry.work(tx));
    } catch (error) {
      if (!current.raw.inTransaction) throw error;
      current.raw.exec("ROLLBACK TO one_of_many");
      settle.push(() => entry.reject(error));
    }
    current.raw.exec("RELEASE one_of_many");
  };
  transaction(
    (tx) => {
      for (const entry of batch) runOne(entry, tx);
    },
    { durable },
  );
  for (const report of written) runInBackground("what follows a grouped write", report);
  return settle;
}

function commitQueued(current: Handle): void {
  const batch = current.waiting;
  current.waiting = [];
  const rejectAll = (error: unknown) => {
    for (const { reject } of batch) reject(error);
  };
  const { sync } = current;
  const syncsLater = sync !== undefined && batch.every(({ syncsInThread }) => syncsInThread);
  let settle: readonly (() => void)[];
  try {
    settle = runQueued(current, batch, !syncsLater);
  } catch (error) {
    rejectAll(error);
    return;
  }
  const settleAll = () => {
    for (const finish of settle) finish();
  };
  if (syncsLater) sync.request((error) => (error ? rejectAll(error) : settleAll()));
  else settleAll();
}

/**
 * Like `transaction`, but calls within one event-loop tick share a commit and its disk sync. Resolves after the
 * sync.
 * @param options.inThread syncs the disk in a thread instead of blocking the main thread, if all calls of the tick allow it
 * @param options.written is called after the commit, which survives a killed process, but maybe not yet a power loss. It
 * must not throw.
 */
export function groupedTransaction<T>(
  work: (tx: Db) => T,
  { inThread = false, written }: { inThread?: boolean; written?: (result: T) => void } = {},
): Promise<T> {
  const current = handle();
  return new Promise<T>((resolve, reject) => {
    if (current.waiting.length === 0) setImmediate(() => commitQueued(current));
    current.waiting.push({
      work,
      syncsInThread: inThread,
      written: written as QueuedWrite["written"],
      resolve: resolve as (result: unknown) => void,
      reject,
    });
  });
}
