import { parentPort } from "node:worker_threads";
import type { ZodType } from "zod";
import { AppError } from "~/core/errors";
import type { WorkerAnswer } from "~/core/worker-messages";

/** A refusal as it goes back to the pool; any other error is a fault of ours, for the log alone. */
function toAnswer(error: unknown): WorkerAnswer {
  const code = error instanceof AppError ? error.code : "internal";
  return { ok: false, code, message: error instanceof Error ? error.message.slice(0, 500) : String(error) };
}

/**
 * Answers the tasks of a pool, one at a time. An AppError goes back to the caller of the pool as it is.
 *
 * @param transferOf what of an output changes hands instead of being copied; this thread has it no longer
 */
export function serve<Input, Output>(
  input: ZodType<Input>,
  work: (input: Input) => Output | Promise<Output>,
  transferOf: (output: Output) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (!port) throw new Error("This is a worker thread's entry.");
  const answer = (value: WorkerAnswer, transfer: ArrayBuffer[] = []) => port.postMessage(value, transfer);
  port.on("message", async (message: unknown) => {
    try {
      const output = await work(input.parse(message));
      answer({ ok: true, output }, transferOf(output));
    } catch (error) {
      answer(toAnswer(error));
    }
  });
}
