import type { ZodType } from "zod";
import { AppError, type ErrorCode } from "./errors";
import { log } from "./log.server";
import { WorkerAnswer } from "./worker-messages";

export interface TaskPoolSettings<Output> {
  /** For the log. */
  name: string;
  /** The worker's file, mostly a `bundledWorker`. */
  entry: string;
  output: ZodType<Output>;
  /** Workers at most. */
  size: number;
  /** Limit on one task's time, in ms; then its worker is ended. */
  timeoutMs: number;
  /** Message for a task that took longer, with what to do instead. */
  tooLong?: string;
  /** Message for a task that takes too much memory, with what to do instead. */
  tooLarge?: string;
  /** Tasks that may wait for a worker; more are refused. */
  maxQueue?: number;
  /** Time after which an idle worker is ended, in ms. */
  idleMs?: number;
}

/** A thread or a process that answers tasks one at a time. */
export interface PoolWorker {
  post(input: unknown): void;
  /** Keeps this process running while a task runs. */
  ref(): void;
  unref(): void;
  /** Resolves once it has ended. */
  end(): Promise<void>;
}

/** Why a worker ended that the pool didn't end. */
interface Death {
  cause: "memory" | "killed" | "fault";
  error?: unknown;
}

export interface WorkerEvents {
  /** @param replace whether the worker takes no further task after this answer */
  answer(message: unknown, replace?: boolean): void;
  death(death: Death): void;
}

interface Task {
  input: unknown;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface Seat {
  worker: PoolWorker;
  task?: Task | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const NOT_DONE = "Processing failed.";
const TOO_LARGE = "Processing needs more memory than is allowed.";
const KILLED = "The worker process was killed. Try again.";
const IDLE_TIME = 30_000;

const open = new Set<{ close(): Promise<void> }>();

/** Ends every pool's workers; running tasks fail. */
export async function closeWorkerPools(): Promise<void> {
  await Promise.all([...open].map((pool) => pool.close()));
}

/**
 * A few workers for tasks that are heavy or have hostile input. They start when needed, end when idle, and are
 * replaced when a task makes them die.
 */
export abstract class TaskPool<Input, Output> {
  readonly #settings: TaskPoolSettings<Output>;
  readonly #seats = new Set<Seat>();
  readonly #queue: Task[] = [];

  constructor(settings: TaskPoolSettings<Output>) {
    this.#settings = settings;
  }

  protected abstract startWorker(events: WorkerEvents): PoolWorker;

  /**
   * Runs one task. Its input is copied into the worker (structured clone), its output parsed.
   *
   * @throws AppError `unavailable` when the task takes too long or too much memory, its worker dies or the queue is
   *   full; with the worker's own code and message when it refuses, `internal` when it fails; the signal's reason when aborted
   */
  async run(input: Input, signal?: AbortSignal): Promise<Output> {
    signal?.throwIfAborted();
    if (this.#queue.length >= (this.#settings.maxQueue ?? 200)) {
      throw new AppError("unavailable", "Too many tasks are queued. Try again in a moment.");
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

  /** Ends the workers; running and waiting tasks fail. A later task starts a new one. */
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
    const {
      timeoutMs,
      name,
      tooLong = `Processing took longer than ${timeoutMs / 1000} seconds.`,
    } = this.#settings;
    clearTimeout(seat.timer);
    seat.task = task;
    seat.timer = setTimeout(() => {
      log.warn("a worker took too long", { worker: name, durationMs: timeoutMs });
      void this.#end(seat, new AppError("unavailable", tooLong));
    }, timeoutMs);
    seat.worker.ref();
    seat.worker.post(task.input);
  }

  #start(): Seat | undefined {
    const { name, size, tooLarge = TOO_LARGE } = this.#settings;
    if (this.#seats.size >= size) return undefined;
    const seat: Seat = {
      worker: this.startWorker({
        answer: (message, replace) => this.#settle(seat, message, replace),
        death: (death) => {
          // Ended by this pool: its task has been answered.
          if (!this.#seats.has(seat)) return;
          const messages = { memory: tooLarge, killed: KILLED, fault: NOT_DONE };
          const { cause, error } = death;
          if (cause !== "fault" || error) log.warn("a worker died", { worker: name, cause, error });
          void this.#end(seat, new AppError("unavailable", messages[cause], { cause: error }));
        },
      }),
    };
    this.#seats.add(seat);
    return seat;
  }

  #settle(seat: Seat, message: unknown, replace = false): void {
    const { task } = seat;
    if (!task) return;
    clearTimeout(seat.timer);
    seat.task = undefined;
    seat.worker.unref();
    if (replace) void this.#end(seat);
    else {
      seat.timer = setTimeout(() => void this.#end(seat), this.#settings.idleMs ?? IDLE_TIME);
      seat.timer.unref();
    }
    const answer = WorkerAnswer.safeParse(message);
    if (!answer.success) task.reject(new AppError("internal", "A worker sent an invalid response."));
    else if (answer.data.ok) task.resolve(answer.data.output);
    else task.reject(this.#refusal(answer.data.code, answer.data.message));
    this.#next();
  }

  /** The message for a person: that of a fault, such as a statement of SQL, goes to the log alone. */
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

  /** Takes a worker out of the pool and lets the next task have its seat. */
  async #end(seat: Seat, reason?: AppError): Promise<void> {
    if (!this.#seats.delete(seat)) return;
    clearTimeout(seat.timer);
    seat.task?.reject(reason);
    this.#next();
    await seat.worker.end();
  }
}
