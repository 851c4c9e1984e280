import { rawDatabase } from "~/core/db.server";
import { ProcessPool } from "~/core/process-pool.server";
import { bundledWorker } from "~/core/worker-pool.server";
import { FoundPassages, type SearchTask } from "./search-task";

const pool = new ProcessPool<SearchTask, FoundPassages>({
  name: "search",
  entry: bundledWorker("search"),
  output: FoundPassages,
  size: 2,
  timeoutMs: 10_000,
  memoryMb: () => 512,
  // It reads our own tables, no hostile files; a new process searches slowly at first.
  maxTasks: 20_000,
  // Starting one takes longer than most searches.
  idleMs: 600_000,
  tooLong: "The search took longer than 10 seconds and was stopped. Shorten the query or add a filter.",
});

/**
 * Searches in a thread, on a connection of its own that only reads.
 *
 * @throws AppError `unavailable` when it takes too long or too many searches wait
 */
export function searchInThread(task: Omit<SearchTask, "database">): Promise<FoundPassages> {
  // Not ended with its caller: the thread would go with it, and the search is over sooner than a new one has started.
  return pool.run({ ...task, database: rawDatabase().name });
}
