import type { ZodType } from "zod";
import { onAbort } from "./abort";
import { isDiskFull } from "./disk-space.server";
import { dataDir } from "./env.server";
import { AppError, type ErrorCode } from "./errors";
import { log } from "./log.server";
import { storageError } from "./storage-faults.server";
import { WorkerAnswer } from "./worker-messages";

export interface TaskPoolSettings<Output> {
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

export interface PoolWorker {
  post(input: unknown): void;
  /** Keeps this process running while a task runs. */
  ref(): void;
  unref(): void;
  end(): Promise<void>;
}

interface Death {
  cause: "memory" | "killed" | "fault";
  error?: unknown;
}

export interface WorkerEvents {
  answer(message: unknown, replace?: boolean): void;
  death(death: Death): void;
}

interface Task {
  input: unknown;
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
export abstract class TaskPool<Input, Output> {
  readonly #settings: TaskPoolSettings<Output>;
  readonly #slots = new Set<Slot>();
  readonly #queue: Task[] = [];

  constructor(settings: TaskPoolSettings<Output>) {
    this.#settings = settings;
  }

  protected abstract startWorker(events: WorkerEvents): PoolWorker;

  /**
   * Runs a task. Its input is copied by structured clone, its output parsed.
   * @throws AppError `unavailable` if the task exceeds its time or memory, its worker dies or the queue is
   * full; the worker's own AppError; `internal` for other failures; the signal's reason if aborted
   */
  async run(input: Input, signal?: AbortSignal): Promise<Output> {
    signal?.throwIfAborted();
    if (this.#queue.length >= (this.#settings.maxQueue ?? 200)) {
      throw new AppError("unavailable", "Too many tasks are queued. Try again in a moment.");
    }
    openPools.add(this);
    let release = () => {};
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        const task: Task = { input, resolve, reject };
        release = onAbort(signal, (reason) => this.#abort(task, reason));
        this.#queue.push(task);
        this.#next();
      });
      return this.#settings.output.parse(output);
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
    const {
      timeoutMs,
      name,
      tooLong = `Processing took longer than ${timeoutMs / 1000} seconds.`,
    } = this.#settings;
    clearTimeout(slot.timer);
    slot.task = task;
    slot.timer = setTimeout(() => {
      log.warn("a worker took too long", { worker: name, durationMs: timeoutMs });
      void this.#end(slot, new AppError("unavailable", tooLong));
    }, timeoutMs);
    slot.worker.ref();
    slot.worker.post(task.input);
  }

  #start(): Slot | undefined {
    const { name, size, tooLarge = TOO_LARGE } = this.#settings;
    if (this.#slots.size >= size) return undefined;
    const slot: Slot = {
      worker: this.startWorker({
        answer: (message, replace) => this.#settle(slot, message, replace),
        death: (death) => {
          // Terminated by the pool, which has settled its task.
          if (!this.#slots.has(slot)) return;
          const messages = { memory: tooLarge, killed: KILLED, fault: FAILED };
          const { cause, error } = death;
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
      slot.timer = setTimeout(() => void this.#end(slot), this.#settings.idleMs ?? IDLE_TIME);
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
    log.error("a worker failed", { worker: this.#settings.name, error: cause });
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
