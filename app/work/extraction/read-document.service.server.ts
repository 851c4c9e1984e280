import { rawDatabase } from "~/core/db.server";
import { env } from "~/core/env.server";
import { unpack } from "~/core/packs";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import {
  type FileTask,
  FileText,
  InnerFiles,
  type InnerTask,
  PackedVersion,
  PagePicture,
  type PageTask,
  type ReadVersion,
  type VersionTask,
} from "./read-task";

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

const innerPool = new ProcessPool<InnerTask, InnerFiles>({
  ...limits,
  name: "read-inner-files",
  output: InnerFiles,
  size: 1,
});

/** A separate pool, so that interactive reads don't queue behind ingestion. */
const filePool = new ProcessPool<FileTask, FileText>({
  ...limits,
  name: "read-file",
  output: FileText,
  size: 1,
  maxQueue: 50,
});

const pagePool = new ProcessPool<PageTask, PagePicture>({
  ...limits,
  name: "draw-page",
  output: PagePicture,
  size: 1,
  maxQueue: 50,
});

/**
 * Draws a page of a stored PDF in a child process. @returns PNG
 * @throws AppError `not_found` for a page that isn't there, else as `readVersion`
 */
export async function drawPage(
  page: Pick<PageTask, "versionId" | "page">,
  signal?: AbortSignal,
): Promise<PagePicture> {
  return pagePool.run({ ...page, database: rawDatabase().name }, signal);
}

/**
 * Reads the text of a file, on disk or given, in a child process.
 * @throws AppError as `readVersion`, `too_large` for a text longer than `maxLength`
 */
export async function readFileInProcess(task: FileTask, signal?: AbortSignal): Promise<FileText> {
  return filePool.run(task, signal);
}

/**
 * Takes files out of a stored message or archive in a child process, a few megabytes at a time.
 * @throws AppError as `readVersion`
 */
export async function readInnerFiles(
  task: Omit<InnerTask, "database">,
  signal?: AbortSignal,
): Promise<InnerFiles> {
  return innerPool.run({ ...task, database: rawDatabase().name }, signal);
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
