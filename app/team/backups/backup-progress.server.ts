import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE, POSITION, STAGING } from "./archive-names";
import type { BackupProgress } from "./backups.schema";

/** Polling interval, in ms. */
const POLL_INTERVAL = 500;

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;

/** Progress by the files written so far; null before the first. */
export async function readBackupProgress(target: string, total: number): Promise<BackupProgress | null> {
  const staging = `${target}${STAGING}`;
  const position = await readFile(join(staging, POSITION), "utf8").catch(() => "");
  const [compressed = 0, all = 0] = position.split(" ").map(Number);
  if (all > 0) return { step: "compressing", done: compressed, total: all };
  const copied = await sizeOf(join(staging, DATABASE));
  return copied > 0 ? { step: "copying", done: Math.min(copied, total), total } : null;
}

export async function watchBackup(
  folder: string,
  target: string,
  report: (progress: BackupProgress) => void,
): Promise<() => void> {
  const database = join(folder, DATABASE);
  const total = (await sizeOf(database)) + (await sizeOf(`${database}-wal`));
  let isOpen = true;
  const poll = async () => {
    const progress = await readBackupProgress(target, total);
    if (progress && isOpen) report(progress);
  };
  const timer = setInterval(() => void poll(), POLL_INTERVAL);
  return () => {
    isOpen = false;
    clearInterval(timer);
  };
}
