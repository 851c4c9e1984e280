import { chmodSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * Writes a consistent copy through SQLite's backup API, and checks it before renaming it into place.
 * @throws Error when the integrity check fails
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
