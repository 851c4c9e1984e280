import Database from "better-sqlite3";
import { loadVectorExtension } from "~/core/sqlite-extensions.server";
import type { Reader } from "./search-task";
import { makeReader } from "./statements";

/** In bytes. Memory-mapped, so that scans don't copy. */
const MMAP_SIZE = 2 ** 31 - 1;

let current: { file: string; raw: Database.Database; reader: Reader } | undefined;

/** Kept open: opening costs more than most searches. */
export function readerOf(file: string): Reader {
  if (current?.file === file) return current.reader;
  closeReader();
  // WAL readers don't wait; this covers setup and recovery of the log.
  const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 });
  raw.pragma(`mmap_size = ${MMAP_SIZE}`);
  current = { file, raw, reader: makeReader(raw, loadVectorExtension(raw).ok) };
  return current.reader;
}

export function closeReader(): void {
  current?.raw.close();
  current = undefined;
}
