import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { EmbedOutput, type EmbedTask } from "./embed-task";
import type { Vectors } from "./read-vectors";

const pool = new WorkerPool<EmbedTask, Vectors>({
  name: "embed",
  entry: bundledWorker("embed"),
  // The token count is optional.
  output: EmbedOutput.transform((output) => ({ ...output, tokens: output.tokens })),
  size: 2,
  timeoutMs: 30_000,
  maxHeapMb: 512,
});

export function embedInThread(texts: string[], signal?: AbortSignal): Promise<Vectors> {
  return pool.run({ work: "embed", texts }, signal);
}

/**
 * Parses a provider's response in a worker: large ones would block the event loop.
 * @throws AppError `invalid` that continues the sentence "the embedder sent …"
 */
export function readInThread(bytes: Uint8Array, count: number, signal?: AbortSignal): Promise<Vectors> {
  return pool.run({ work: "read", bytes, count }, signal);
}
