import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { Rendering, type RenderTask } from "./render-task";

export const RENDER_TOOK_TOO_LONG = "Formatting the text took too long.";

const pool = new WorkerPool<RenderTask, Rendering>({
  name: "markdown",
  entry: bundledWorker("markdown"),
  output: Rendering,
  size: 1,
  // A backstop; the budget of a text is far smaller.
  timeoutMs: 5000,
  tooLong: RENDER_TOOK_TOO_LONG,
  maxHeapMb: 256,
  maxQueue: 100,
});

/** @throws AppError `unavailable` when it takes too long or too much waits */
export function renderInThread(task: RenderTask): Promise<Rendering> {
  return pool.run(task);
}
