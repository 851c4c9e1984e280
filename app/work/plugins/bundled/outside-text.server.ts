import { z } from "zod";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import type { OutsideTextTask, Parsed } from "./outside-text-task";

const pool = new WorkerPool<OutsideTextTask, unknown>({
  name: "outside-text",
  entry: bundledWorker("outside-text"),
  output: z.unknown(),
  size: 1,
  timeoutMs: 10_000,
  tooLong: "The text is too complex to be read.",
  maxHeapMb: 192,
});

/**
 * Parses a stranger's text in a thread, with limits of time and memory.
 * @throws AppError `unprocessable`; `unavailable` beyond the limits
 */
export async function readOutsideText<Task extends OutsideTextTask>(
  task: Task,
  signal: AbortSignal,
): Promise<Parsed<Task["kind"]>> {
  return (await pool.run(task, signal)) as Parsed<Task["kind"]>;
}
