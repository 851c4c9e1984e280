import { parentPort } from "node:worker_threads";
import type { ZodType } from "zod";
import type { WorkerAnswer } from "~/core/worker-messages";

/**
 * Answers the tasks of a pool, one at a time. An error's message goes back to the caller of the pool, so it must be
 * fit for a person.
 */
export function serve<Input>(input: ZodType<Input>, work: (input: Input) => unknown): void {
  const port = parentPort;
  if (!port) throw new Error("This is a worker thread's entry.");
  const answer = (value: WorkerAnswer) => port.postMessage(value);
  port.on("message", async (message: unknown) => {
    try {
      answer({ ok: true, output: await work(input.parse(message)) });
    } catch (error) {
      answer({ ok: false, message: error instanceof Error ? error.message.slice(0, 500) : String(error) });
    }
  });
}
