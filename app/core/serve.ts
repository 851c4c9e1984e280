import { execFile } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type ZodType, z } from "zod";
import { AppError, ERROR_CODES } from "./errors";
import { findProgram, OUT_OF_MEMORY_SIGNAL, ownMemoryMb, reservedMb, type WatchTask } from "./process.server";
import { findStorageFault } from "./storage-faults.server";

/** AppErrors go to the caller, others to the log only. */
function toAnswer(error: unknown): WorkerAnswer {
  const code = error instanceof AppError ? error.code : (findStorageFault(error) ?? "internal");
  return { ok: false, code, message: error instanceof Error ? error.message.slice(0, 500) : String(error) };
}

interface Port {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(answer: WorkerAnswer, transfer: ArrayBuffer[], error?: unknown): void;
}

/**
 * Answers the tasks of a pool, one at a time, in a thread or in a process. An AppError goes back to the caller of the
 * pool as it is.
 * @param transferOf what of an output changes hands between threads instead of being copied
 */
export function serve<Input, Output>(
  input: ZodType<Input>,
  work: (input: Input) => Output | Promise<Output>,
  transferOf: (output: Output) => ArrayBuffer[] = () => [],
): void {
  // On Linux priorities are per thread; 0 is the calling one.
  if (parentPort && (workerData as WorkerStart | null)?.isBackground && process.platform === "linux")
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  const port: Port | undefined = parentPort ?? childPort();
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

export interface WorkerStart {
  isBackground: boolean;
}

export const WorkerAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  /** A user-facing error has its code; `internal` messages are only logged. */
  z.object({ ok: z.literal(false), code: z.enum(ERROR_CODES), message: z.string() }),
]);
export type WorkerAnswer = z.infer<typeof WorkerAnswer>;

export const ChildAnswer = z.object({
  answer: z.unknown(),
  /** Memory held after the task without mapped files, in MB. */
  memoryMb: z.number(),
  /** Whether an allocation failed during the task, even if a library continued. */
  outOfMemory: z.boolean(),
});
export type ChildAnswer = z.infer<typeof ChildAnswer>;

/** Messages of V8 and of WebAssembly by Emscripten for refused memory. */
const REFUSED =
  /array buffer allocation failed|invalid (?:array buffer|typed array) length|failed to grow the heap/i;

let outOfMemory = false;

/** Some libraries swallow the error and continue. */
export function noteRefusedMemory(text: string): void {
  outOfMemory ||= REFUSED.test(text);
}

function noteCauses(error: unknown): void {
  for (let at = error; at instanceof Error; at = at.cause) noteRefusedMemory(at.message);
}

/** A thread still watches during native code and endless loops. It ends the process if orphaned or over its limit. */
async function startWatch(limitMb: number): Promise<void> {
  const workerData: WatchTask = { limitMb, parent: process.ppid };
  const watch = new Worker(fileURLToPath(new URL("watch.mjs", import.meta.url)), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  watch.on("error", () => process.kill(process.pid, OUT_OF_MEMORY_SIGNAL));
  watch.unref();
  await once(watch, "online");
}

/**
 * Limits memory of every kind, also buffers outside V8's heap, by RLIMIT_DATA
 * (https://man7.org/linux/man-pages/man2/getrlimit.2.html). It counts what V8 reserves without using it, which differs
 * between versions of Node and is measured here, once all threads run. Without prlimit the watch alone limits it.
 */
async function limitMemory(limitMb: number): Promise<void> {
  const prlimit = findProgram("prlimit");
  const reserved = reservedMb();
  if (prlimit === undefined || reserved === undefined) return;
  const bytes = Math.round((reserved + limitMb) * 1_000_000);
  await promisify(execFile)(prlimit, [`--pid=${process.pid}`, `--data=${bytes}`, "--core=0"]);
}

/** Undefined outside a child process. */
function childPort() {
  const send = process.send?.bind(process);
  if (!send) return undefined;
  const limitMb = Number(process.argv[2]);
  const isLimited = startWatch(limitMb).then(() => limitMemory(limitMb));
  process.on("disconnect", () => process.exit(0));
  return {
    on: (event: "message", listener: (message: unknown) => void) =>
      process.on(event, async (message) => {
        await isLimited;
        listener(message);
      }),
    postMessage(answer: WorkerAnswer, _transfer: ArrayBuffer[], error?: unknown) {
      noteCauses(error);
      const message: ChildAnswer = { answer, memoryMb: ownMemoryMb(), outOfMemory };
      outOfMemory = false;
      send(message);
    },
  };
}
