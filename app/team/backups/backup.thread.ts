import { rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { findCorruption } from "~/core/integrity-check.server";
import type { BackupOutcome, BackupTask } from "./backup-task";
import { createArchive } from "./create-archive.thread";
import { extractArchive } from "./extract-archive.thread";

/** @returns freed bytes */
function vacuum(file: string): number {
  const before = statSync(file).size;
  const raw = new Database(file, { fileMustExist: true });
  try {
    raw.exec("VACUUM");
    raw.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    raw.close();
  }
  return before - statSync(file).size;
}

export async function runBackupTask(task: BackupTask): Promise<BackupOutcome> {
  if (task.kind === "create") return { bytes: await createArchive(task) };
  if (task.kind === "vacuum") return { bytes: vacuum(task.database) };
  if (task.kind === "check") {
    const finding = findCorruption(task.database, task.extent);
    return { bytes: 0, ...(finding === undefined ? {} : { finding }) };
  }
  try {
    const manifest = await extractArchive(task);
    return { bytes: manifest.bytes, manifest };
  } catch (error) {
    rmSync(task.target, { recursive: true, force: true });
    throw error;
  }
}
