import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";
import { CheckpointTask } from "~/core/checkpoint-task";

/** Checkpoints beside the writer without blocking it (PASSIVE). */
const { file, logBytes } = CheckpointTask.parse(workerData);
const Outcome = z.array(z.object({ log: z.number(), checkpointed: z.number() }));
const raw = new Database(file, { fileMustExist: true, timeout: 0 });
let last = 0;

/**
 * From this log length (pages) on, the thread tries to reach the end so that the writer restarts the log without
 * waiting for the disk.
 */
const LONG = 4000;
/** Each pass copies what was written during the previous one. */
const PASSES = 10;

function checkpoint(): { log: number; checkpointed: number } {
  const [outcome] = Outcome.parse(raw.pragma("wal_checkpoint(PASSIVE)"));
  return outcome ?? { log: 0, checkpointed: 0 };
}

function copy(): void {
  const { size, mtimeMs } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  // The file keeps its length: no new pages.
  if (size < logBytes || mtimeMs === last) return;
  let before = 0;
  let outcome = checkpoint();
  // The end was reached.
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
