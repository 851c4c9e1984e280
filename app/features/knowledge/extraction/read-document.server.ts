import { rawDatabase } from "~/core/db.server";
import { unpack } from "~/core/packs";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { PackedVersion, type ReadTask, type ReadVersion } from "./read-task";

const pool = new WorkerPool<ReadTask, PackedVersion>({
  name: "read-document",
  entry: bundledWorker("read-document"),
  output: PackedVersion,
  size: 2,
  timeoutMs: 60_000,
  maxHeapMb: 512,
  maxGrowthMb: 1200,
  tooLarge:
    "Reading it takes more memory than one document may have. Divide it into smaller files, or save it as plain text, and try again.",
});

/**
 * Reads the text of a version whose bytes are stored, in a worker thread that takes them from the database by itself.
 *
 * @throws AppError `invalid` saying why it can't be read, `unavailable` when it takes too much time or memory
 */
export async function readVersion(
  { url, ...version }: { versionId: string; name: string; contentType: string; url?: string | undefined },
  signal?: AbortSignal,
): Promise<ReadVersion> {
  const name = version.name || (url && URL.canParse(url) ? new URL(url).pathname : "");
  const read = await pool.run({ ...version, name, database: rawDatabase().name }, signal);
  return { ...read, pieces: unpack(read.pieces) };
}
