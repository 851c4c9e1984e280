import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { EmbedOutput, type EmbedTask } from "./embed-task";
import type { Vectors } from "./read-vectors";

const pool = new WorkerPool<EmbedTask, Vectors>({
  name: "embed",
  entry: bundledWorker("embed"),
  // An answer without the count is one all the same.
  output: EmbedOutput.transform((output) => ({ ...output, tokens: output.tokens })),
  size: 2,
  timeoutMs: 30_000,
  maxHeapMb: 512,
});

/** The built-in embedder, in a thread. */
export function embedInThread(texts: string[], signal?: AbortSignal): Promise<Vectors> {
  return pool.run({ work: "embed", texts }, signal);
}

/**
 * Reads a provider's answer in a thread: a hundred vectors as text take longer to read than others may wait.
 *
 * @throws AppError `invalid` that continues the sentence "the embedder sent …"
 */
export function readInThread(bytes: Uint8Array, count: number, signal?: AbortSignal): Promise<Vectors> {
  return pool.run({ work: "read", bytes, count }, signal);
}
