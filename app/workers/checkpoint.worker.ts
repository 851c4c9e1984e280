import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";
import { CheckpointTask } from "~/core/checkpoint-task";

/** Copies what was written from the log into the file, beside the writer, which never waits for it (PASSIVE). */
const { file, everyMs, logBytes } = CheckpointTask.parse(workerData);
const Outcome = z.array(z.object({ log: z.number(), checkpointed: z.number() }));
const raw = new Database(file, { fileMustExist: true, timeout: 0 });
let last = 0;

function copy(): void {
  const { size, mtimeMs } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  // The log keeps its length when it begins anew: what hasn't been written to since needs no second look.
  if (size < logBytes || mtimeMs === last) return;
  const [outcome] = Outcome.parse(raw.pragma("wal_checkpoint(PASSIVE)"));
  if (outcome && outcome.log === outcome.checkpointed) last = mtimeMs;
}

setInterval(copy, everyMs);
parentPort?.once("message", () => {
  raw.close();
  process.exit(0);
});
