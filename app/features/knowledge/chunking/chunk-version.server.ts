import { rawDatabase } from "~/core/db.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { Chunk } from "./chunk";
import { Chunks, type ChunkTask } from "./chunk-task";

const pool = new WorkerPool<ChunkTask, Chunk[]>({
  name: "chunk-document",
  entry: bundledWorker("chunk-document"),
  output: Chunks,
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 512,
});

/**
 * Cuts the stored text of a version into chunks, in a worker thread that takes it from the database by itself.
 *
 * @throws AppError `unavailable` when it takes too much time or memory
 */
export function chunkVersion(version: Omit<ChunkTask, "database">, signal?: AbortSignal): Promise<Chunk[]> {
  return pool.run({ ...version, database: rawDatabase().name }, signal);
}
