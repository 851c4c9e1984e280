import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { codesOf } from "./storage-faults.server";

// Databases are overwritten through SQLite, never renamed: a process that replicates one, such as Litestream, follows
// pages and the write-ahead log, and would go on reading a file that no longer has the name.

/** Pages per turn of the event loop: 4 MB. */
const PAGES = 1000;
/** Time for which another process may keep a database locked, in ms. */
const LOCK_TIMEOUT = 30_000;

const SIDE_FILES = ["-wal", "-shm"] as const;

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Copies a database over another in one transaction: a crash leaves the target as it was.
 * @param source has a page at least
 * @throws Error `SQLITE_BUSY` if another process keeps the target locked
 */
async function copyInto(source: Database.Database, target: string): Promise<void> {
  let remaining = -1;
  let changedAt = performance.now();
  const assertProgress = (pages: number) => {
    if (pages !== remaining) changedAt = performance.now();
    remaining = pages;
    if (performance.now() - changedAt > LOCK_TIMEOUT)
      throw Object.assign(new Error(`${target} is locked by another process.`), { code: "SQLITE_BUSY" });
  };
  const progress = ({ remainingPages }: { remainingPages: number }) => {
    assertProgress(remainingPages);
    return PAGES;
  };
  // A target that is locked from the start is reported as copied, with no page.
  while ((await source.backup(target, { progress })).totalPages === 0) {
    assertProgress(0);
    await new Promise(setImmediate);
  }
}

/** Opens a database to copy; one without a page, or undefined, as one with a page and no tables. */
function openSource(file: string | undefined): Database.Database {
  const raw = new Database(file ?? ":memory:", { fileMustExist: file !== undefined });
  try {
    if (Number(raw.pragma("page_count", { simple: true })) > 0) return raw;
  } catch (error) {
    raw.close();
    throw error;
  }
  raw.close();
  const empty = new Database(":memory:");
  empty.exec("CREATE TABLE first_page (id); DROP TABLE first_page");
  return empty;
}

/** Copies a closed database, with what its write-ahead log holds, into a new file that appears when it is whole. */
export async function keepCopy(database: string, copy: string): Promise<void> {
  const partial = `${copy}.partial`;
  const source = openSource(database);
  try {
    rmSync(partial, { force: true });
    await copyInto(source, partial);
  } finally {
    source.close();
  }
  renameSync(partial, copy);
  syncFolder(dirname(copy));
}

/**
 * Overwrites a database in place.
 * @param from undefined empties it
 */
export async function overwriteDatabase(from: string | undefined, database: string): Promise<void> {
  const target = new Database(database, { fileMustExist: true });
  try {
    // Else another reader could refuse the commit, which better-sqlite3 doesn't report.
    target.pragma("journal_mode = WAL");
  } finally {
    target.close();
  }
  const source = openSource(from);
  try {
    await copyInto(source, database);
  } finally {
    source.close();
  }
}

/** Whether SQLite can't overwrite the file, which a rename can replace nonetheless. */
export const isBeyondSqlite = (error: unknown): boolean =>
  codesOf(error).some((code) => /^SQLITE_(CORRUPT|NOTADB|READONLY|IOERR)/.test(code));

/** Moves a database into a folder with its side files, the database last: once it is there, all are. */
export function moveDatabase(database: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const end of [...SIDE_FILES, ""])
    if (existsSync(database + end)) renameSync(database + end, join(folder, basename(database) + end));
  syncFolder(folder);
}

export function removeDatabase(database: string): void {
  for (const end of ["", ...SIDE_FILES]) rmSync(database + end, { force: true });
}
