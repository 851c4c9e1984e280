import { rawDatabase } from "~/core/db.server";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { RetrievedPassages, type SearchTask } from "./search-task";

const pool = new ProcessPool<SearchTask, RetrievedPassages>({
  name: "search",
  entry: bundledWorker("search"),
  output: RetrievedPassages,
  size: 2,
  timeoutMs: 10_000,
  memoryMb: () => 512,
  // Trusted input; a new process is slow at first.
  maxTasks: 20_000,
  // Starting takes longer than most searches.
  idleMs: 600_000,
  tooLong: "The search took longer than 10 seconds and was stopped. Shorten the query or add a filter.",
});

/** Searches in a thread on a read-only connection. @throws AppError `unavailable` on timeout or overload */
export function searchInThread(task: Omit<SearchTask, "database">): Promise<RetrievedPassages> {
  // Not aborted with its caller: that would terminate the worker.
  return pool.run({ ...task, database: rawDatabase().name });
}
