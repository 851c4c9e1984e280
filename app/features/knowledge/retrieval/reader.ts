import Database from "better-sqlite3";
import { loadVectorExtension } from "~/core/vector-extension.server";

/** Of the file that a search maps into memory, in bytes: scans then copy nothing. */
const MAPPED = 2 ** 31 - 1;
/** Statements kept: those of a few indexes and sets of filters. */
const MOST_STATEMENTS = 200;

/** A connection of a search thread, read-only, with its statements. */
export interface Reader {
  raw: Database.Database;
  /** Whether sqlite-vec is there. */
  hasVectors: boolean;
  statement(sql: string): Database.Statement<unknown[], unknown>;
}

function open(file: string): Reader {
  // In WAL a reader waits for no writer; the time is for the moments in which the log is set up or recovered.
  const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 });
  raw.pragma(`mmap_size = ${MAPPED}`);
  raw.pragma("query_only = ON");
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  return {
    raw,
    hasVectors: loadVectorExtension(raw).ok,
    statement(sql) {
      let found = statements.get(sql);
      if (!found) {
        if (statements.size >= MOST_STATEMENTS) statements.clear();
        found = raw.prepare(sql);
        statements.set(sql, found);
      }
      return found;
    },
  };
}

let current: { file: string; reader: Reader } | undefined;

/** The thread's connection, kept open: opening one costs more than most searches. */
export function readerOf(file: string): Reader {
  if (current?.file === file) return current.reader;
  closeReader();
  current = { file, reader: open(file) };
  return current.reader;
}

/** Lets go of the file. */
export function closeReader(): void {
  current?.reader.raw.close();
  current = undefined;
}
