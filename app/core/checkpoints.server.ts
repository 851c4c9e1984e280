import { once } from "node:events";
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
  const worker = new Worker(bundledWorker("checkpoint"), {
    name: "checkpoint",
    workerData,
    env: {},
    execArgv: [],
  });
  worker.unref();
  raw.pragma(`wal_autocheckpoint = ${PAGES_BEHIND_THREAD}`);
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  const leave = onCommit(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      worker.postMessage("copy");
    }, everyMs).unref();
  });
  const ended = once(worker, "exit").catch(() => undefined);
  worker.on("error", (error) =>
    log.error("the checkpoints' thread died: the writer does them again", { error }),
  );
  worker.on("exit", () => {
    if (!stopping && raw.open) raw.pragma(`wal_autocheckpoint = ${USUAL_PAGES}`);
  });
  return async () => {
    stopping = true;
    leave();
    clearTimeout(timer);
    worker.ref();
    worker.postMessage("stop");
    await ended;
  };
}
