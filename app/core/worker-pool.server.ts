import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ZodType } from "zod";
import { onAbort } from "./abort";
import { dataDir } from "./env.server";
import { AppError, type ErrorCode } from "./errors";
import { log } from "./log.server";
import { builtFolder, OUT_OF_MEMORY_SIGNAL } from "./process.server";
import { ChildAnswer, WorkerAnswer, type WorkerStart } from "./serve";
import { isDiskFull, storageError } from "./storage-faults.server";

interface TaskPoolSettings<Output> {
  name: string;
  entry: string;
  output: ZodType<Output>;
  size: number;
  /** Time limit of a task, in ms; its worker is then terminated. */
  timeoutMs: number;
  tooLong?: string;
  tooLarge?: string;
  maxQueue?: number;
  idleMs?: number;
}

interface PoolWorker {
  post(input: unknown): void;
  /** Keeps this process running while a task runs. */
  ref(): void;
  unref(): void;
  end(): Promise<void>;
}

interface WorkerEvents {
  answer(message: unknown, replace?: boolean): void;
  death(cause: "memory" | "killed" | "fault", error?: unknown): void;
}

interface Task {
  input: unknown;
  begin?: (() => void) | undefined;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface Slot {
  worker: PoolWorker;
  task?: Task | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const FAILED = "Processing failed.";
const TOO_LARGE = "Processing needs more memory than is allowed.";
const KILLED = "The worker process was killed. Try again.";
const IDLE_TIME = 30_000;

const openPools = new Set<{ close(): Promise<void> }>();

export async function closeWorkerPools(): Promise<void> {
  await Promise.all([...openPools].map((pool) => pool.close()));
}

/** Worker pool for heavy tasks or hostile input. Workers start on demand and are replaced after a crash. */
abstract class TaskPool<Input, Output, Settings extends TaskPoolSettings<Output>> {
  readonly #slots = new Set<Slot>();
  readonly #queue: Task[] = [];

  constructor(protected readonly settings: Settings) {}

  protected abstract startWorker(events: WorkerEvents): PoolWorker;

  /**
   * Runs a task. Its input is copied by structured clone, its output parsed.
   * @param begin called as a worker begins with it
   * @throws AppError `unavailable` if the task exceeds its time or memory, its worker dies or the queue is
   * full; the worker's own AppError; `internal` for other failures; the signal's reason if aborted
   */
  async run(input: Input, signal?: AbortSignal, begin?: () => void): Promise<Output> {
    signal?.throwIfAborted();
    if (this.#queue.length >= (this.settings.maxQueue ?? 200)) {
      throw new AppError("unavailable", "Too many tasks are queued. Try again in a moment.");
    }
    openPools.add(this);
    let release = () => {};
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        const task: Task = { input, begin, resolve, reject };
        release = onAbort(signal, (reason) => this.#abort(task, reason));
        this.#queue.push(task);
        this.#next();
      });
      return this.settings.output.parse(output);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    openPools.delete(this);
    const stopped = new AppError("unavailable", "The console is stopping.");
    for (const task of this.#queue.splice(0)) task.reject(stopped);
    await Promise.all([...this.#slots].map((slot) => this.#end(slot, stopped)));
  }

  #next(): void {
    const task = this.#queue[0];
    if (!task) return;
    const slot = [...this.#slots].find((item) => !item.task) ?? this.#start();
    if (!slot) return;
    this.#queue.shift();
    const { timeoutMs, name } = this.settings;
    const { tooLong = `Processing took longer than ${timeoutMs / 1000} seconds.` } = this.settings;
    clearTimeout(slot.timer);
    slot.task = task;
    slot.timer = setTimeout(() => {
      log.warn("a worker took too long", { worker: name, durationMs: timeoutMs });
      void this.#end(slot, new AppError("unavailable", tooLong));
    }, timeoutMs);
    slot.worker.ref();
    slot.worker.post(task.input);
    task.begin?.();
  }

  #start(): Slot | undefined {
    const { name, size, tooLarge = TOO_LARGE } = this.settings;
    if (this.#slots.size >= size) return undefined;
    const slot: Slot = {
      worker: this.startWorker({
        answer: (message, replace) => this.#settle(slot, message, replace),
        death: (cause, error) => {
          // Terminated by the pool, which has settled its task.
          if (!this.#slots.has(slot)) return;
          const messages = { memory: tooLarge, killed: KILLED, fault: FAILED };
          if (cause !== "fault" || error) log.warn("a worker died", { worker: name, reason: cause, error });
          void this.#end(slot, new AppError("unavailable", messages[cause], { cause: error }));
        },
      }),
    };
    this.#slots.add(slot);
    return slot;
  }

  #settle(slot: Slot, message: unknown, replace = false): void {
    const { task } = slot;
    if (!task) return;
    clearTimeout(slot.timer);
    slot.task = undefined;
    slot.worker.unref();
    if (replace) void this.#end(slot);
    else {
      slot.timer = setTimeout(() => void this.#end(slot), this.settings.idleMs ?? IDLE_TIME);
      slot.timer.unref();
    }
    const answer = WorkerAnswer.safeParse(message);
    if (!answer.success) task.reject(new AppError("internal", "A worker sent an invalid response."));
    else if (answer.data.ok) task.resolve(answer.data.output);
    else task.reject(this.#refusal(answer.data.code, answer.data.message));
    this.#next();
  }

  /** Internal messages, which may contain SQL, go to the log only. */
  #refusal(code: ErrorCode, message: string): AppError {
    if (code === "disk_full" || code === "damaged") return storageError(code, new Error(message));
    // SQLite's words for a write that the disk refused.
    if (code === "internal" && message === "disk I/O error" && isDiskFull(dataDir()))
      return storageError("disk_full", new Error(message));
    if (code !== "internal") return new AppError(code, message);
    const cause = new Error(message);
    log.error("a worker failed", { worker: this.settings.name, error: cause });
    return new AppError("internal", FAILED, { cause });
  }

  #abort(task: Task, reason: unknown): void {
    const waiting = this.#queue.indexOf(task);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    task.reject(reason);
    const slot = [...this.#slots].find((item) => item.task === task);
    if (slot) void this.#end(slot);
  }

  async #end(slot: Slot, reason?: AppError): Promise<void> {
    if (!this.#slots.delete(slot)) return;
    clearTimeout(slot.timer);
    slot.task?.reject(reason);
    this.#next();
    await slot.worker.end();
  }
}

export interface WorkerPoolSettings<Output> extends TaskPoolSettings<Output> {
  /** Heap limit of a thread in MB, without buffers: unpacking files belongs in a `ProcessPool`. */
  maxHeapMb: number;
  /** Runs its threads at low priority. */
  isBackground?: boolean;
}

/** Path of app/workers/<name>.worker.ts as bundled by scripts/node-bundle.mjs. */
export const bundledWorker = (name: string) =>
  join(builtFolder ? join(builtFolder, "workers") : join(process.cwd(), ".cache/workers"), `${name}.mjs`);

const isOutOfMemory = (error: Error) => "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

export class WorkerPool<Input, Output> extends TaskPool<Input, Output, WorkerPoolSettings<Output>> {
  protected startWorker(events: WorkerEvents): PoolWorker {
    const { name, entry, maxHeapMb, isBackground = false } = this.settings;
    const worker = new Worker(entry, {
      name,
      // Input may be hostile: no secrets and no flags of this process.
      env: {},
      execArgv: [],
      workerData: { isBackground } satisfies WorkerStart,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
    });
    worker.on("message", (message: unknown) => events.answer(message));
    worker.on("error", (error) => events.death(isOutOfMemory(error) ? "memory" : "fault", error));
    worker.on("exit", () => events.death("fault"));
    return {
      post: (input) => worker.postMessage(input),
      ref: () => worker.ref(),
      unref: () => worker.unref(),
      end: async () => void (await worker.terminate()),
    };
  }
}

export interface ProcessPoolSettings<Output> extends TaskPoolSettings<Output> {
  /** Hard memory limit in MB; read when a process starts. */
  memoryMb: () => number;
  /** Number of tasks after which a process is replaced; 200 by default. */
  maxTasks?: number;
}

/** The heap's share of the limit; buffers, code and stacks need the rest. */
const HEAP_SHARE = 0.6;
/** Share of the limit that a process may hold after a task; above it the process is replaced. */
const REPLACE_SHARE = 0.5;
const MAX_TASKS = 200;
/** Output kept for error messages, in characters. */
const MAX_STDERR = 4000;

const OUT_OF_MEMORY = /out of memory|allocation failed|bad_alloc/i;

function startProcess(entry: string, limitMb: number): ChildProcess {
  const flags = [`--max-old-space-size=${Math.round(limitMb * HEAP_SHARE)}`, "--max-semi-space-size=16"];
  return fork(entry, [String(limitMb)], {
    execArgv: flags,
    // Input may be hostile: no secrets and no flags of this process.
    env: {} as NodeJS.ProcessEnv,
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}

/** Runs tasks in child processes, which limit memory outside the heap and native code such as SQL statements. */
export class ProcessPool<Input, Output> extends TaskPool<Input, Output, ProcessPoolSettings<Output>> {
  protected startWorker(events: WorkerEvents): PoolWorker {
    const { maxTasks = MAX_TASKS } = this.settings;
    const limitMb = this.settings.memoryMb();
    const child = startProcess(this.settings.entry, limitMb);
    let output = "";
    let tasks = 0;
    child.stderr?.on("data", (text: Buffer) => {
      output = (output + text.toString("latin1")).slice(-MAX_STDERR);
    });
    child.on("message", (message) => {
      tasks += 1;
      const wrapped = ChildAnswer.safeParse(message);
      if (!wrapped.success) events.answer(undefined, true);
      else if (wrapped.data.outOfMemory) events.death("memory");
      else {
        const { answer, memoryMb } = wrapped.data;
        events.answer(answer, tasks >= maxTasks || memoryMb > limitMb * REPLACE_SHARE);
      }
    });
    child.on("error", (error) => events.death("fault", error));
    child.on("close", (code, signal) => {
      if (signal === OUT_OF_MEMORY_SIGNAL || OUT_OF_MEMORY.test(output)) events.death("memory");
      else if (signal === "SIGKILL") events.death("killed");
      else events.death("fault", new Error(`It ended with ${signal ?? code}. ${output.slice(-1000)}`));
    });
    const stderr = child.stderr as Socket | null;
    return {
      post: (input) => void child.send(input as object, (error) => error && events.death("fault", error)),
      ref() {
        child.ref();
        child.channel?.ref();
      },
      unref() {
        child.unref();
        child.channel?.unref();
        stderr?.unref();
      },
      end: () => endProcess(child),
    };
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  child.ref();
  child.kill("SIGKILL");
  await once(child, "exit");
}
