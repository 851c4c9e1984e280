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
 * Chunks the stored text of a version in a worker thread, which reads it from the database.
 * @returns the chunks from last to first; iterable once
 * @throws AppError `unavailable` when it takes too much time or memory
 */
export async function chunkVersion(
  version: Omit<ChunkTask, "database">,
  signal?: AbortSignal,
): Promise<Iterable<Chunk>> {
  return unpack(await pool.run({ ...version, database: rawDatabase().name }, signal));
}
