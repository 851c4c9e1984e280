import { z } from "zod";
import { rawDatabase } from "./db.server";
import type { ReadQuery, ReadRows, ReadTask } from "./read-task";
import { bundledWorker, WorkerPool } from "./worker-pool.server";

const pool = new WorkerPool<ReadTask, ReadRows>({
  name: "read",
  entry: bundledWorker("read"),
  // Checked at the surface only: it comes from our own code. Whoever asks parses the rows.
  output: z.custom<ReadRows>(Array.isArray),
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 256,
});

/**
 * Reads in a thread, on a connection of its own that only reads: for what takes the longer the more there is, such as
 * counts and searches through names, so that the event loop isn't held. It sees everything that is committed, and
 * nothing of a transaction that runs.
 *
 * @param options.enough rows after which the queries that are left aren't asked
 * @returns each query's rows, each row its columns in their order
 * @throws AppError `unavailable` when it takes too long or too much waits
 */
export function readInThread(
  queries: readonly ReadQuery[],
  { enough }: { enough?: number } = {},
): Promise<ReadRows> {
  return pool.run({ database: rawDatabase().name, queries: [...queries], enough });
}
