import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { VectorHit } from "~/work/index/stores/vector-store";
import { Hits as HitList, type SearchTask } from "./search-task";

type Hits = VectorHit[] | undefined;

interface VectorThread {
  worker: Worker;
  isReady: boolean;
  settle?: ((hits: Hits) => void) | undefined;
}

let current: VectorThread | undefined;

function startThread(): VectorThread {
  const worker = new Worker(fileURLToPath(new URL("vectors.mjs", import.meta.url)), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
  });
  const thread: VectorThread = { worker, isReady: false };
  const settle = (hits: Hits) => {
    thread.settle?.(hits);
    thread.settle = undefined;
  };
  const end = () => {
    if (current === thread) current = undefined;
    settle(undefined);
  };
  worker.on("online", () => {
    thread.isReady = true;
  });
  worker.on("message", (message: unknown) => settle(HitList.safeParse(message).data));
  worker.on("error", end);
  worker.on("exit", end);
  worker.unref();
  return thread;
}

/** A thread that ends is started again by the next search: what V8 reserved for it is free then. */
export async function startVectorThread(): Promise<void> {
  current ??= startThread();
  const { worker } = current;
  await new Promise<void>((resolve) => {
    for (const event of ["online", "exit"] as const) worker.once(event, () => resolve());
  });
}

/** Searches in a second thread. Undefined if busy or failed: the caller searches itself. */
export function searchVectors(task: SearchTask, limit: number): Promise<Hits> | undefined {
  current ??= startThread();
  const thread = current;
  // Starting takes longer than a search.
  if (!thread.isReady || thread.settle) return undefined;
  return new Promise((resolve) => {
    thread.settle = resolve;
    thread.worker.postMessage({ task, limit });
  });
}
