import { rawDatabase } from "~/core/db.server";
import { type Packs, unpack } from "~/core/packs";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { Chunk } from "./chunk";
import { type ChunkTask, PackedChunks } from "./chunk-task";

const pool = new WorkerPool<ChunkTask, Packs>({
  name: "chunk-document",
  entry: bundledWorker("chunk-document"),
  output: PackedChunks,
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 512,
});

/**
 * Cuts the stored text of a version into chunks, in a worker thread that takes it from the database by itself.
 *
 * @returns the chunks from the last to the first, which can be gone through once
 * @throws AppError `unavailable` when it takes too much time or memory
 */
export async function chunkVersion(
  version: Omit<ChunkTask, "database">,
  signal?: AbortSignal,
): Promise<Iterable<Chunk>> {
  return unpack(await pool.run({ ...version, database: rawDatabase().name }, signal));
}
