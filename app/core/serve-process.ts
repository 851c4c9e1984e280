import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { OUT_OF_MEMORY_SIGNAL, ownMemoryMb, reservedMb, type WatchTask } from "./own-memory.server";
import { findProgram } from "./programs.server";
import type { ChildAnswer, WorkerAnswer } from "./worker-messages";

/** V8's messages for refused memory. */
const REFUSED = /array buffer allocation failed|invalid (?:array buffer|typed array) length/i;

let outOfMemory = false;

/** Some libraries swallow the error and continue. */
export function noteRefusedMemory(text: string): void {
  outOfMemory ||= REFUSED.test(text);
}

function noteCauses(error: unknown): void {
  for (let at = error; at instanceof Error; at = at.cause) noteRefusedMemory(at.message);
}

/**
 * Watches from a thread, which works during native code and endless loops. Ends the process if orphaned or over its
 * limit.
 */
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

/** Undefined outside a child process. @param startThreads awaited before the process's memory is limited */
export function childPort(startThreads: () => Promise<void>) {
  const send = process.send?.bind(process);
  if (!send) return undefined;
  const limitMb = Number(process.argv[2]);
  const isLimited = Promise.all([startWatch(limitMb), startThreads()]).then(() => limitMemory(limitMb));
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
