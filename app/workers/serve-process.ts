import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ownMemoryMb } from "~/core/own-memory.server";
import { OUT_OF_MEMORY_SIGNAL, type WatchTask } from "~/core/process-watch";
import type { ChildAnswer, WorkerAnswer } from "~/core/worker-messages";

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
function startWatch(limitMb: number): void {
  const workerData: WatchTask = { limitMb, parent: process.ppid };
  const watch = new Worker(fileURLToPath(new URL("watch.mjs", import.meta.url)), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  watch.on("error", () => process.kill(process.pid, OUT_OF_MEMORY_SIGNAL));
  watch.unref();
}

/** Undefined outside a child process. */
export function childPort() {
  const send = process.send?.bind(process);
  if (!send) return undefined;
  startWatch(Number(process.argv[2]));
  process.on("disconnect", () => process.exit(0));
  return {
    on: (event: "message", listener: (message: unknown) => void) => process.on(event, listener),
    postMessage(answer: WorkerAnswer, _transfer: ArrayBuffer[], error?: unknown) {
      noteCauses(error);
      const message: ChildAnswer = { answer, memoryMb: ownMemoryMb(), outOfMemory };
      outOfMemory = false;
      send(message);
    },
  };
}
