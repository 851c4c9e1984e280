import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { OUT_OF_MEMORY_SIGNAL } from "./own-memory.server";
import { type PoolWorker, TaskPool, type TaskPoolSettings, type WorkerEvents } from "./task-pool.server";
import { ChildAnswer } from "./worker-messages";

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

/**
 * Runs tasks in child processes, which limit memory outside the heap and native code such as SQL
 * statements.
 */
export class ProcessPool<Input, Output> extends TaskPool<Input, Output> {
  readonly #settings: ProcessPoolSettings<Output>;

  constructor(settings: ProcessPoolSettings<Output>) {
    super(settings);
    this.#settings = settings;
  }

  protected startWorker(events: WorkerEvents): PoolWorker {
    const { maxTasks = MAX_TASKS } = this.#settings;
    const limitMb = this.#settings.memoryMb();
    const child = startProcess(this.#settings.entry, limitMb);
    let output = "";
    let tasks = 0;
    const reportDeath = (cause: "memory" | "killed" | "fault", error?: unknown) =>
      events.death({ cause, error });
    child.stderr?.on("data", (text: Buffer) => {
      output = (output + text.toString("latin1")).slice(-MAX_STDERR);
    });
    child.on("message", (message) => {
      tasks += 1;
      const wrapped = ChildAnswer.safeParse(message);
      if (!wrapped.success) events.answer(undefined, true);
      else if (wrapped.data.outOfMemory) reportDeath("memory");
      else {
        const { answer, memoryMb } = wrapped.data;
        events.answer(answer, tasks >= maxTasks || memoryMb > limitMb * REPLACE_SHARE);
      }
    });
    child.on("error", (error) => reportDeath("fault", error));
    child.on("close", (code, signal) => {
      if (signal === OUT_OF_MEMORY_SIGNAL || OUT_OF_MEMORY.test(output)) reportDeath("memory");
      else if (signal === "SIGKILL") reportDeath("killed");
      else reportDeath("fault", new Error(`It ended with ${signal ?? code}. ${output.slice(-1000)}`));
    });
    const stderr = child.stderr as Socket | null;
    return {
      post: (input) => void child.send(input as object, (error) => error && reportDeath("fault", error)),
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
