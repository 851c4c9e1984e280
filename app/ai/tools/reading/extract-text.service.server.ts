import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { type ExtractInput, ExtractOutput } from "./extraction.schema";

const pool = new WorkerPool<ExtractInput, ExtractOutput>({
  name: "extract",
  entry: bundledWorker("extract"),
  output: ExtractOutput,
  size: 2,
  timeoutMs: 10_000,
  maxHeapMb: 192,
});

/**
 * The article of a page, or the text of other files, in a worker.
 * @throws AppError `invalid` unless text, `unavailable` when too slow or large
 */
export function extractText(document: ExtractInput, signal?: AbortSignal): Promise<ExtractOutput> {
  return pool.run(document, signal);
}
