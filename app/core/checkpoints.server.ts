import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { runLater } from "./background.server";
import type { CheckpointTask } from "./checkpoint.thread";
import { onCommit, rawDatabase } from "./db.server";
import { log } from "./log.server";
import { onDiskFull } from "./storage-faults.server";
import { bundledWorker } from "./worker-pool.server";

/** Delay between a commit and its checkpoint (ms). */
const INTERVAL = 200;
/** Size of the write-ahead log below which the thread isn't started. */
const MIN_LOG_BYTES = 2_000_000;
/** Pages after which a commit checkpoints: SQLite's default, and ours while the thread runs. */
const DEFAULT_PAGES = 1000;
const PAGES_WITH_THREAD = 8000;
/** Idle time before the thread ends (ms); it takes 12 MB. */
const IDLE = 60_000;

/**
 * Runs checkpoints in a thread: in the writer they block every request while the disk is busy.
 * @returns a stop function; await it before closing the database
 */
export function startCheckpoints({ everyMs = INTERVAL, logBytes = MIN_LOG_BYTES } = {}): () => Promise<void> {
  const raw = rawDatabase();
  const workerData: CheckpointTask = { file: raw.name, logBytes };
  const exits = new Set<Promise<unknown>>();
  let thread: Worker | undefined;
  let failed = false;
  let timer: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isFull = false;
  raw.pragma(`wal_autocheckpoint = ${PAGES_WITH_THREAD}`);

  function startThread(): Worker {
    const worker = new Worker(bundledWorker("checkpoint"), {
      name: "checkpoint",
      workerData,
      env: {},
      execArgv: [],
    });
    worker.unref();
    worker.on("message", (message) =>
      log.warn("the log can't be copied to the database", { error: message }),
    );
    worker.on("error", (error) => {
      failed = true;
      log.error("the checkpoint thread exited; the writer takes over", { error });
      if (raw.open) raw.pragma(`wal_autocheckpoint = ${DEFAULT_PAGES}`);
    });
    const ended = once(worker, "exit").catch(() => undefined);
    exits.add(ended);
    void ended.then(() => exits.delete(ended));
    return worker;
  }

  function endThread(): void {
    thread?.ref();
    thread?.postMessage("stop");
    thread = undefined;
  }

  function requestCheckpoint(): void {
    timer = undefined;
    if (failed) return;
    const size = statSync(`${raw.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (!thread && !isFull && size < logBytes) return;
    thread ??= startThread();
    thread.postMessage(isFull ? "copy all" : "copy");
    isFull = false;
    clearTimeout(idle);
    idle = runLater("the end of the checkpoint thread", IDLE, endThread);
  }

  const requestLater = () => {
    timer ??= runLater("the checkpoint", everyMs, requestCheckpoint);
  };
  const unsubscribe = onCommit("the need for a checkpoint", requestLater);
  // A log that can't grow takes no more commits, and so would never be copied: the file may have room for them.
  const stopFollowing = onDiskFull(() => {
    isFull = true;
    requestLater();
  });
  return async () => {
    unsubscribe();
    stopFollowing();
    clearTimeout(timer);
    clearTimeout(idle);
    endThread();
    await Promise.all(exits);
  };
}
