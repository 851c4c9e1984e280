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
 * The readable text of a document, made in a worker thread: of a web page the article, of other text the text.
 *
 * @throws AppError `invalid` when it isn't text, `unavailable` when it takes too much time or memory
 */
export function extractText(document: ExtractInput, signal?: AbortSignal): Promise<ExtractOutput> {
  return pool.run(document, signal);
}
