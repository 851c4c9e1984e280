import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";

export const CheckpointTask = z.object({
  file: z.string(),
  /** Minimum length of the write-ahead log. */
  logBytes: z.number(),
});
export type CheckpointTask = z.infer<typeof CheckpointTask>;

const Outcome = z.array(z.object({ log: z.number(), checkpointed: z.number() }));

/**
 * From this log length (pages) on, the thread tries to reach the end so that the writer restarts the log without
 * waiting for the disk.
 */
const LONG_LOG_PAGES = 4000;
/** Each pass copies what was written during the previous one. */
const MAX_PASSES = 10;

/** Checkpoints beside the writer without blocking it (PASSIVE), as often as it is told to. */
export function serveCheckpoints(): void {
  const { file, logBytes } = CheckpointTask.parse(workerData);
  const raw = new Database(file, { fileMustExist: true, timeout: 0 });
  /** When the last fully copied log was written. */
  let lastMtimeMs = 0;
  let wasRefused = false;

  function checkpoint(): { log: number; checkpointed: number } {
    const [outcome] = Outcome.parse(raw.pragma("wal_checkpoint(PASSIVE)"));
    return outcome ?? { log: 0, checkpointed: 0 };
  }

  /** A full disk refuses pages that the file lacks: they are copied once there is room. */
  function copyIfPossible(isFull: boolean): void {
    try {
      copy(isFull);
      wasRefused = false;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      if (!code?.match(/^SQLITE_(FULL|IOERR)/)) throw error;
      if (!wasRefused) parentPort?.postMessage(message);
      wasRefused = true;
    }
  }

  function copy(isFull: boolean): void {
    const { size, mtimeMs } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
    // The file keeps its length: no new pages.
    if (!isFull && (size < logBytes || mtimeMs === lastMtimeMs)) return;
    let before = 0;
    let outcome = checkpoint();
    // A log of unchanged length was copied to its end.
    for (let pass = 1; pass < MAX_PASSES && outcome.log >= LONG_LOG_PAGES && outcome.log !== before; pass++) {
      before = outcome.log;
      outcome = checkpoint();
    }
    if (outcome.log === outcome.checkpointed) lastMtimeMs = mtimeMs;
  }

  parentPort?.on("message", (message) => {
    if (message === "copy") return copyIfPossible(false);
    // The disk is full: what is copied gives the log its own room back, however short it is.
    if (message === "copy all") return copyIfPossible(true);
    raw.close();
    process.exit(0);
  });
}
