import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE, PARTIAL, STAGING } from "./archive-names";
import type { BackupProgress } from "./backups.schema";

/** Time between two looks at the files, in ms. */
const EVERY = 500;

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

/** How far a backup is, by the files that its process has written; null before the first. */
export async function readBackupProgress(target: string, total: number): Promise<BackupProgress | null> {
  const compressed = await sizeOf(`${target}${PARTIAL}`);
  if (compressed > 0) return { step: "compressing", done: compressed, total: 0 };
  const copied = await sizeOf(join(`${target}${STAGING}`, DATABASE));
  return copied > 0 ? { step: "copying", done: Math.min(copied, total), total } : null;
}

/** Reports the progress of a backup while it is written. @returns the way to stop */
export async function watchBackup(
  folder: string,
  target: string,
  report: (progress: BackupProgress) => void,
): Promise<() => void> {
  const database = join(folder, DATABASE);
  const total = (await sizeOf(database)) + (await sizeOf(`${database}-wal`));
  let isOpen = true;
  const look = async () => {
    const progress = await readBackupProgress(target, total);
    if (progress && isOpen) report(progress);
  };
  const timer = setInterval(() => void look(), EVERY);
  return () => {
    isOpen = false;
    clearInterval(timer);
  };
}
