import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { ZodType } from "zod";
import { AppError, type ErrorCode } from "./errors";
import { log } from "./log.server";
import { WorkerAnswer } from "./worker-messages";

export interface WorkerPoolSettings<Output> {
  /** For the log. */
  name: string;
  /** The thread's file, mostly a `bundledWorker`. */
  entry: string;
  output: ZodType<Output>;
  /** How many threads at most. */
  size: number;
  /** Of one task while it runs, in milliseconds; then its thread is ended. */
  timeoutMs: number;
  /** Of a thread's heap; a task beyond it fails, the process goes on. */
  maxHeapMb: number;
  /**
   * What the process may grow by while a task runs, in MB. Buffers are no part of a thread's heap: a file that unpacks
   * without end is stopped by this alone. It is measured for the whole process, so leave room for what others do.
   */
  maxGrowthMb?: number;
  /** What is said of a task that takes too much memory, with what to do instead. */
  tooLarge?: string;
  /** Tasks that may wait for a thread; more are refused. */
  maxQueue?: number;
}

interface Task {
  input: unknown;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface Seat {
  worker: Worker;
  task?: Task | undefined;
  timer?: NodeJS.Timeout | undefined;
  watch?: NodeJS.Timeout | undefined;
}

/** How often the process's growth is looked at, in milliseconds. */
const WATCH_EVERY = 250;
const NOT_DONE = "This could not be worked on.";
const TOO_LARGE = "This needs more memory than is allowed.";

/** An idle thread keeps its memory this long, in milliseconds. */
const IDLE_TIME = 30_000;

const open = new Set<{ close(): Promise<void> }>();

/** The file of app/workers/<name>.worker.ts, as scripts/build-workers.mjs bundles it. */
export function bundledWorker(name: string): string {
  return resolve("build/workers", `${name}.mjs`);
}

/** Ends every pool's threads; running tasks fail. */
export async function closeWorkerPools(): Promise<void> {
  await Promise.all([...open].map((pool) => pool.close()));
}

/**
 * A few threads for work that is heavy or done on hostile input. Threads start when needed, leave when idle, and are
 * replaced when a task makes them die.
 */
export class WorkerPool<Input, Output> {
  readonly #settings: WorkerPoolSettings<Output>;
  readonly #seats = new Set<Seat>();
  readonly #queue: Task[] = [];

  constructor(settings: WorkerPoolSettings<Output>) {
    this.#settings = settings;
  }

  /**
   * Runs one task. Its input is copied into the thread (structured clone), its output parsed.
   *
   * @throws AppError `unavailable` when the task takes too long or too much memory, its thread dies or the queue is
   *   full; with the worker's own code and message when it refuses, `internal` when it fails; the signal's reason when aborted
   */
  async run(input: Input, signal?: AbortSignal): Promise<Output> {
    signal?.throwIfAborted();
    if (this.#queue.length >= (this.#settings.maxQueue ?? 200)) {
      throw new AppError("unavailable", "Too much of this work is waiting already. Try again in a moment.");
    }
    open.add(this);
    let onAbort: () => void = () => undefined;
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        const task: Task = { input, resolve, reject };
        onAbort = () => this.#abort(task, signal?.reason);
        signal?.addEventListener("abort", onAbort);
        this.#queue.push(task);
        this.#next();
      });
      return this.#settings.output.parse(output);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the threads; what runs or waits fails. A later task starts anew. */
  async close(): Promise<void> {
    open.delete(this);
    const stopped = new AppError("unavailable", "The console is stopping.");
    for (const task of this.#queue.splice(0)) task.reject(stopped);
    await Promise.all([...this.#seats].map((seat) => this.#end(seat, stopped)));
  }

  #next(): void {
    const task = this.#queue[0];
    if (!task) return;
    const seat = [...this.#seats].find((item) => !item.task) ?? this.#start();
    if (!seat) return;
    this.#queue.shift();
    const { timeoutMs, name } = this.#settings;
    clearTimeout(seat.timer);
    seat.task = task;
    seat.timer = setTimeout(() => {
      log.warn("a worker took too long", { worker: name, durationMs: timeoutMs });
      void this.#end(seat, new AppError("unavailable", `This took longer than ${timeoutMs / 1000} seconds.`));
    }, timeoutMs);
    this.#watch(seat);
    seat.worker.ref();
    seat.worker.postMessage(task.input);
  }

  #watch(seat: Seat): void {
    const { maxGrowthMb, name, tooLarge = TOO_LARGE } = this.#settings;
    if (maxGrowthMb === undefined) return;
    const before = process.memoryUsage.rss();
    seat.watch = setInterval(() => {
      if (process.memoryUsage.rss() - before < maxGrowthMb * 1_000_000) return;
      log.warn("a worker took too much memory", { worker: name });
      void this.#end(seat, new AppError("unavailable", tooLarge));
    }, WATCH_EVERY);
  }

  #start(): Seat | undefined {
    const { name, entry, size, maxHeapMb, tooLarge = TOO_LARGE } = this.#settings;
    if (this.#seats.size >= size) return undefined;
    const worker = new Worker(entry, {
      name,
      // What it reads may be hostile: it gets no secrets and no flags of this process.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32 },
    });
    const seat: Seat = { worker };
    this.#seats.add(seat);
    worker.on("message", (message: unknown) => this.#settle(seat, message));
    worker.on("error", (error) => {
      log.warn("a worker died", { worker: name, error });
      const large = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      const message = large ? tooLarge : NOT_DONE;
      void this.#end(seat, new AppError("unavailable", message, { cause: error }));
    });
    worker.on("exit", () => void this.#end(seat, new AppError("unavailable", NOT_DONE)));
    return seat;
  }

  #settle(seat: Seat, message: unknown): void {
    const { task } = seat;
    if (!task) return;
    clearTimeout(seat.timer);
    clearInterval(seat.watch);
    seat.task = undefined;
    seat.worker.unref();
    seat.timer = setTimeout(() => void this.#end(seat), IDLE_TIME);
    seat.timer.unref();
    const answer = WorkerAnswer.safeParse(message);
    if (!answer.success) task.reject(new AppError("internal", "A worker gave no proper answer."));
    else if (answer.data.ok) task.resolve(answer.data.output);
    else task.reject(this.#refusal(answer.data.code, answer.data.message));
    this.#next();
  }

  /** In words for a person: what a fault of ours says, such as a statement of SQL, goes to the log alone. */
  #refusal(code: ErrorCode, message: string): AppError {
    if (code !== "internal") return new AppError(code, message);
    const cause = new Error(message);
    log.error("a worker failed", { worker: this.#settings.name, error: cause });
    return new AppError("internal", NOT_DONE, { cause });
  }

  #abort(task: Task, reason: unknown): void {
    const waiting = this.#queue.indexOf(task);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    task.reject(reason);
    const seat = [...this.#seats].find((item) => item.task === task);
    if (seat) void this.#end(seat);
  }

  /** Takes a thread out of the pool and lets the next task have its place. */
  async #end(seat: Seat, reason?: AppError): Promise<void> {
    if (!this.#seats.delete(seat)) return;
    clearTimeout(seat.timer);
    clearInterval(seat.watch);
    seat.task?.reject(reason);
    this.#next();
    await seat.worker.terminate();
  }
}
