import { rawDatabase } from "~/core/db.server";
import { env } from "~/core/env.server";
import { unpack } from "~/core/packs";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { type FileTask, FileText, PackedVersion, type ReadVersion, type VersionTask } from "./read-task";

const limits = {
  entry: bundledWorker("read-document"),
  timeoutMs: 60_000,
  memoryMb: () => env().DOCUMENT_MEMORY_MB,
  tooLarge:
    "Reading this document needs too much memory. Split it into smaller files or save it as plain text, and try again.",
  tooLong: "Reading this document took longer than a minute. Split it into smaller files and try again.",
};

const pool = new ProcessPool<VersionTask, PackedVersion>({
  ...limits,
  name: "read-document",
  output: PackedVersion,
  size: 2,
});

/** A separate pool, so that interactive reads don't queue behind ingestion. */
const filePool = new ProcessPool<FileTask, FileText>({
  ...limits,
  name: "read-file",
  output: FileText,
  size: 1,
  maxQueue: 50,
});

/**
 * Reads the text of a file on disk in a child process.
 * @throws AppError as `readVersion`, `too_large` for a text longer than `maxLength`
 */
export async function readFileInProcess(task: FileTask, signal?: AbortSignal): Promise<FileText> {
  return filePool.run(task, signal);
}

/**
 * Reads a stored version in a child process, which takes its bytes from the database.
 * @throws AppError `invalid` with the reason, `unavailable` if it takes too much time or memory
 */
export async function readVersion(
  { url, ...version }: Omit<VersionTask, "database"> & { url?: string | undefined },
  signal?: AbortSignal,
): Promise<ReadVersion> {
  const name = version.name || (url && URL.canParse(url) ? new URL(url).pathname : "");
  const read = await pool.run({ ...version, name, database: rawDatabase().name }, signal);
  return { ...read, pieces: unpack(read.pieces) };
}
