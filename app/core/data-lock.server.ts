import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

export interface DataLock {
  release(): void;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Locks a data folder, since two schedulers would run every job twice.
 * @throws Error with a message for the operator if the folder stays locked
 */
export async function lockDataDir(folder: string, waitMs: number): Promise<DataLock> {
  const file = join(folder, "process.lock");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`${file} isn't a file. Delete it and start again.`);
  const deadline = Date.now() + waitMs;
  for (;;) {
    const handle = new Database(file, { timeout: 0 });
    try {
      handle.pragma("locking_mode = EXCLUSIVE");
      handle.exec("BEGIN EXCLUSIVE");
      return { release: () => handle.close() };
    } catch (error) {
      handle.close();
      if (!(error instanceof Database.SqliteError)) throw error;
      if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code))
        throw new Error(`${file} is damaged. It holds no data: delete it and start again.`, { cause: error });
      if (!error.code.startsWith("SQLITE_BUSY")) throw error;
      if (Date.now() >= deadline) {
        throw new Error(
          `Another Quarterdeck process uses the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`,
          { cause: error },
        );
      }
      await pause(100);
    }
  }
}
