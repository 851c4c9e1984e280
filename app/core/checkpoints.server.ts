import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { CheckpointTask } from "./checkpoint-task";
import { onCommit, rawDatabase } from "./db.server";
import { log } from "./log.server";
import { bundledWorker } from "./worker-pool.server";

const EVERY = 200;
const LOG_BYTES = 2_000_000;
/** SQLite's own number of pages after which a commit checkpoints, and ours as long as the thread does it before. */
const USUAL_PAGES = 1000;
const PAGES_BEHIND_THREAD = 8000;
/** A thread without work for this long is ended, in ms: it takes 12 MB. */
const IDLE = 60_000;

/**
 * Checkpoints in a thread of their own: done by the writer they hold up every request for as long as the disk takes. A
 * writer that never pauses outruns the thread; then its own checkpoint has the little that is left to copy, but waits until
 * all that was copied is on the disk.
 *
 * @returns the way to stop, to be waited for before the database is closed
 */
export function startCheckpoints(
  { everyMs, logBytes }: Omit<CheckpointTask, "file"> & { everyMs: number } = {
    everyMs: EVERY,
    logBytes: LOG_BYTES,
  },
): () => Promise<void> {
  const raw = rawDatabase();
  const workerData: CheckpointTask = { file: raw.name, logBytes };
  const exits = new Set<Promise<unknown>>();
  let thread: Worker | undefined;
  let failed = false;
  let timer: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  raw.pragma(`wal_autocheckpoint = ${PAGES_BEHIND_THREAD}`);

  function startThread(): Worker {
    const worker = new Worker(bundledWorker("checkpoint"), {
      name: "checkpoint",
      workerData,
      env: {},
      execArgv: [],
    });
    worker.unref();
    worker.on("error", (error) => {
      failed = true;
      log.error("the checkpoint thread died: the writer does the checkpoints", { error });
      if (raw.open) raw.pragma(`wal_autocheckpoint = ${USUAL_PAGES}`);
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

  function copy(): void {
    timer = undefined;
    if (failed) return;
    if (!thread && (statSync(`${raw.name}-wal`, { throwIfNoEntry: false })?.size ?? 0) < logBytes) return;
    thread ??= startThread();
    thread.postMessage("copy");
    clearTimeout(idle);
    idle = setTimeout(endThread, IDLE).unref();
  }

  const leave = onCommit(() => {
    timer ??= setTimeout(copy, everyMs).unref();
  });
  return async () => {
    leave();
    clearTimeout(timer);
    clearTimeout(idle);
    endThread();
    await Promise.all(exits);
  };
}
