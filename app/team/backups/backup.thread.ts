import { rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { z } from "zod";
import { findCorruption } from "~/core/integrity-check.server";
import type { BackupOutcome, BackupTask } from "./backup-task";
import { createArchive } from "./create-archive.thread";
import { extractArchive } from "./extract-archive.thread";
import { countMissingFiles } from "./missing-files.thread";

/** Time to wait for a reader of the pages that were free, such as Litestream, in ms. */
const CHECKPOINT_WAIT = 5000;
const Checkpoints = z.array(z.object({ busy: z.number() }));

/** @returns freed bytes, and whether another process keeps the file from shrinking yet */
function vacuum(file: string): { bytes: number; followsLater: boolean } {
  const before = statSync(file).size;
  const raw = new Database(file, { fileMustExist: true, timeout: CHECKPOINT_WAIT });
  try {
    raw.exec("VACUUM");
    const [checkpoint] = Checkpoints.parse(raw.pragma("wal_checkpoint(TRUNCATE)"));
    const pages = Number(raw.pragma("page_count", { simple: true }));
    const bytes = before - pages * Number(raw.pragma("page_size", { simple: true }));
    return { bytes, followsLater: checkpoint?.busy === 1 };
  } finally {
    raw.close();
  }
}

export async function runBackupTask(task: BackupTask): Promise<BackupOutcome> {
  if (task.kind === "create") return { bytes: await createArchive(task) };
  if (task.kind === "vacuum") return vacuum(task.database);
  if (task.kind === "files") return { bytes: 0, missing: countMissingFiles(task.dataDir, task.hasCopies) };
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
