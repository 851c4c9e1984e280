import { parentPort } from "node:worker_threads";
import type { ZodType } from "zod";
import { AppError } from "~/core/errors";
import type { WorkerAnswer } from "~/core/worker-messages";

/** A refusal as it goes back to the pool; any other error is a fault of ours, for the log alone. */
function toAnswer(error: unknown): WorkerAnswer {
  const code = error instanceof AppError ? error.code : "internal";
  return { ok: false, code, message: error instanceof Error ? error.message.slice(0, 500) : String(error) };
}

/** Answers the tasks of a pool, one at a time. An AppError goes back to the caller of the pool as it is. */
export function serve<Input>(input: ZodType<Input>, work: (input: Input) => unknown): void {
  const port = parentPort;
  if (!port) throw new Error("This is a worker thread's entry.");
  const answer = (value: WorkerAnswer) => port.postMessage(value);
  port.on("message", async (message: unknown) => {
    try {
      answer({ ok: true, output: await work(input.parse(message)) });
    } catch (error) {
      answer(toAnswer(error));
    }
  });
}
