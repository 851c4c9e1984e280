import Database from "better-sqlite3";
import { loadVectorExtension } from "~/core/vector-extension.server";
import type { Reader } from "~/features/knowledge/search/retrieval/reader";
import { makeReader } from "~/features/knowledge/search/retrieval/statements";

/** Of the file that a search maps into memory, in bytes: scans then copy nothing. */
const MAPPED = 2 ** 31 - 1;

let current: { file: string; raw: Database.Database; reader: Reader } | undefined;

/** The thread's connection, kept open: opening one costs more than most searches. */
export function readerOf(file: string): Reader {
  if (current?.file === file) return current.reader;
  closeReader();
  // In WAL a reader waits for no writer; the time is for the moments in which the log is set up or recovered.
  const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 2000 });
  raw.pragma(`mmap_size = ${MAPPED}`);
  current = { file, raw, reader: makeReader(raw, loadVectorExtension(raw).ok) };
  return current.reader;
}

/** Lets go of the file. */
export function closeReader(): void {
  current?.raw.close();
  current = undefined;
}
