import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";
import { CheckpointTask } from "~/core/checkpoint-task";

/** Copies what was written from the log into the file, beside the writer, which never waits for it (PASSIVE). */
const { file, logBytes } = CheckpointTask.parse(workerData);
const Outcome = z.array(z.object({ log: z.number(), checkpointed: z.number() }));
const raw = new Database(file, { fileMustExist: true, timeout: 0 });
let last = 0;

/**
 * From this length of the log on, in pages, the thread tries to reach its very end, so that the writer restarts it:
 * otherwise the writer would do so, and wait until all that the thread has copied is on disk.
 */
const LONG = 4000;
/** Each has only what was written during the one before it. */
const PASSES = 10;

function checkpoint(): { log: number; checkpointed: number } {
  const [outcome] = Outcome.parse(raw.pragma("wal_checkpoint(PASSIVE)"));
  return outcome ?? { log: 0, checkpointed: 0 };
}

function copy(): void {
  const { size, mtimeMs } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  // The log keeps its length when it restarts: no new pages since need no second look.
  if (size < logBytes || mtimeMs === last) return;
  let before = 0;
  let outcome = checkpoint();
  // Nothing new, or the log has restarted: either way the end was reached.
  for (let pass = 1; pass < PASSES && outcome.log >= LONG && outcome.log !== before; pass++) {
    before = outcome.log;
    outcome = checkpoint();
  }
  if (outcome.log === outcome.checkpointed) last = mtimeMs;
}

parentPort?.on("message", (message) => {
  if (message === "copy") return copy();
  raw.close();
  process.exit(0);
});
