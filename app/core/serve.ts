import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { ZodType } from "zod";
import { AppError } from "./errors";
import { childPort } from "./serve-process";
import { findStorageFault } from "./storage-faults.server";
import type { WorkerAnswer, WorkerStart } from "./worker-messages";

/** AppErrors go to the caller, others to the log only. */
function toAnswer(error: unknown): WorkerAnswer {
  const code = error instanceof AppError ? error.code : (findStorageFault(error) ?? "internal");
  return { ok: false, code, message: error instanceof Error ? error.message.slice(0, 500) : String(error) };
}

/** On Linux priorities are per thread; 0 is the calling one. */
function yieldProcessor(): void {
  if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}

interface Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(answer: WorkerAnswer, transfer: ArrayBuffer[], error?: unknown): void;
}

/**
 * Answers the tasks of a pool, one at a time, in a thread or in a process. An AppError goes back to the caller of the
 * pool as it is.
 *
 * @param transferOf what of an output changes hands between threads instead of being copied
 * @param startThreads starts further threads of a process, before its memory is limited
 */
export function serve<Input, Output>(
  input: ZodType<Input>,
  work: (input: Input) => Output | Promise<Output>,
  transferOf: (output: Output) => ArrayBuffer[] = () => [],
  startThreads: () => Promise<void> = async () => undefined,
): void {
  if (parentPort && (workerData as WorkerStart | null)?.isBackground) yieldProcessor();
  const port: Port | undefined = parentPort ?? childPort(startThreads);
  if (!port) throw new Error("This is the entry of a worker thread or process.");
  port.on("message", async (message: unknown) => {
    try {
      const output = await work(input.parse(message));
      port.postMessage({ ok: true, output }, transferOf(output));
    } catch (error) {
      port.postMessage(toAnswer(error), [], error);
    }
  });
}
