import { chmodSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * Writes a consistent copy of an open database through SQLite's backup API (never a copy of the file, whose WAL would
 * be missing), checks it, and only then gives it its name.
 *
 * @throws Error when the copy doesn't pass SQLite's integrity check
 */
export async function backupTo(raw: Database.Database, target: string): Promise<void> {
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  await raw.backup(partial);
  const copy = new Database(partial);
  try {
    copy.pragma("journal_mode = DELETE");
    const verdict = copy.pragma("integrity_check", { simple: true });
    if (verdict !== "ok")
      throw new Error(`The backup ${target} is damaged: ${String(verdict).slice(0, 200)}`);
  } finally {
    copy.close();
  }
  chmodSync(partial, 0o600);
  renameSync(partial, target);
}
