import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtFolder } from "./programs.server";
import { type PoolWorker, TaskPool, type TaskPoolSettings, type WorkerEvents } from "./task-pool.server";
import type { WorkerStart } from "./worker-messages";

export interface WorkerPoolSettings<Output> extends TaskPoolSettings<Output> {
  /** Heap limit of a thread in MB, without buffers: unpacking files belongs in a `ProcessPool`. */
  maxHeapMb: number;
  /** Runs its threads at low priority. */
  isBackground?: boolean;
}

export { closeWorkerPools } from "./task-pool.server";

/** Path of app/workers/<name>.worker.ts as bundled by scripts/node-bundle.mjs. */
export const bundledWorker = (name: string) =>
  join(builtFolder ? join(builtFolder, "workers") : join(process.cwd(), ".cache/workers"), `${name}.mjs`);

const isOutOfMemory = (error: Error) => "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

export class WorkerPool<Input, Output> extends TaskPool<Input, Output> {
  readonly #settings: WorkerPoolSettings<Output>;

  constructor(settings: WorkerPoolSettings<Output>) {
    super(settings);
    this.#settings = settings;
  }

  protected startWorker(events: WorkerEvents): PoolWorker {
    const { name, entry, maxHeapMb, isBackground = false } = this.#settings;
    const worker = new Worker(entry, {
      name,
      // Input may be hostile: no secrets and no flags of this process.
      env: {},
      execArgv: [],
      workerData: { isBackground } satisfies WorkerStart,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
    });
    worker.on("message", (message: unknown) => events.answer(message));
    worker.on("error", (error) => events.death({ cause: isOutOfMemory(error) ? "memory" : "fault", error }));
    worker.on("exit", () => events.death({ cause: "fault" }));
    return {
      post: (input) => worker.postMessage(input),
      ref: () => worker.ref(),
      unref: () => worker.unref(),
      end: async () => void (await worker.terminate()),
    };
  }
}
