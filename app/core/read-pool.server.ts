import { z } from "zod";
import { rawDatabase } from "./db.server";
import type { ReadQuery, ReadRows, ReadTask } from "./read.thread";
import { bundledWorker, ProcessPool, WorkerPool } from "./worker-pool.server";

const settings = {
  entry: bundledWorker("read"),
  // Not parsed: it comes from our own code.
  output: z.custom<ReadRows>(Array.isArray),
  size: 1,
  timeoutMs: 10_000,
};

/** Pages wait for `screen`; `long` is for exports and full counts. They don't block each other. */
export type ReadLane = "screen" | "long";

const lane = (name: string, timeoutMs: number, isBackground: boolean) =>
  new WorkerPool<ReadTask, ReadRows>({ ...settings, name, timeoutMs, isBackground, maxHeapMb: 256 });

const lanes: Record<ReadLane, WorkerPool<ReadTask, ReadRows>> = {
  screen: lane("read", settings.timeoutMs, false),
  long: lane("read-long", 120_000, true),
};

const processesOf = (name: string, idleMs: number) =>
  new ProcessPool<ReadTask, ReadRows>({
    ...settings,
    name,
    memoryMb: () => 512,
    idleMs,
    tooLong: "The search took longer than 10 seconds and was stopped. Narrow it down and try again.",
  });

const processes: Record<ReadLane, ProcessPool<ReadTask, ReadRows>> = {
  // Starting one takes longer than most reads.
  screen: processesOf("read-typed", 600_000),
  long: processesOf("read-typed-long", 30_000),
};

interface ReadOptions {
  /** Stops running queries after this many rows. */
  maxRows?: number;
}

const taskOf = (queries: readonly ReadQuery[], { maxRows }: ReadOptions): ReadTask => ({
  database: rawDatabase().name,
  queries: [...queries],
  maxRows,
});

/**
 * Runs queries on a read-only connection in a thread, so that slow ones don't block the event loop. Sees
 * committed data only. Statements can't be aborted: use `readInProcess` for open-ended ones.
 * @returns rows per query, as column arrays
 * @throws AppError `unavailable` after 10 s (`long`: 120 s) or on overload
 */
export function readInThread(
  lane: ReadLane,
  queries: readonly ReadQuery[],
  options: ReadOptions = {},
): Promise<ReadRows> {
  return lanes[lane].run(taskOf(queries, options));
}

export function readInProcess(
  queries: readonly ReadQuery[],
  { lane = "screen", ...options }: ReadOptions & { lane?: ReadLane } = {},
): Promise<ReadRows> {
  return processes[lane].run(taskOf(queries, options));
}
