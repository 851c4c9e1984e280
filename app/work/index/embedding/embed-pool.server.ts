import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { EmbedOutput, type EmbedTask, type Vectors } from "./embed-task";

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
function readInThread(bytes: Uint8Array, count: number, signal?: AbortSignal): Promise<Vectors> {
  return pool.run({ work: "read", bytes, count }, signal);
}

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

async function readBytes(response: Response, provider: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) return Buffer.concat(pieces);
    size += next.value.length;
    if (size > MAX_RESPONSE_BYTES) {
      reader?.cancel().catch(() => undefined);
      throw new AppError("provider_unavailable", `${provider} sent a response of more than 32 MB.`);
    }
    pieces.push(next.value);
  }
}

export async function readResponse(
  response: Response,
  { provider, count, signal }: { provider: string; count: number; signal: AbortSignal },
): Promise<Vectors> {
  const bytes = await readBytes(response, provider);
  try {
    return await readInThread(bytes, count, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    throw new AppError("provider_unavailable", `${provider} sent ${error.message}.`, { cause: error });
  }
}
