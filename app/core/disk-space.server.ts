import { statfsSync } from "node:fs";

/** In bytes. SQLite's log and shared memory take more for a start. */
const LITTLE_SPACE = 1024 * 1024;

interface DiskSpace {
  freeBytes: number;
  /** Undefined for file systems that don't count files. */
  freeFiles: number | undefined;
}

/** For users without privileges. @throws Error if the folder can't be read */
function readDiskSpace(folder: string): DiskSpace {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return { freeBytes: bavail * bsize, freeFiles: files > 0 ? ffree : undefined };
}

/** Whether fewer bytes than `needed` or no files are free. */
export function isDiskFull(folder: string, needed = LITTLE_SPACE): boolean {
  try {
    const { freeBytes, freeFiles } = readDiskSpace(folder);
    return freeBytes < needed || freeFiles === 0;
  } catch {
    return false;
  }
}

/** Such as "The disk is full: 3 MB are free." */
export function describeFullDisk(folder: string): string {
  try {
    const { freeBytes, freeFiles } = readDiskSpace(folder);
    if (freeFiles === 0) return "The disk is full: it can't hold more files (0 inodes are free).";
    return `The disk is full: ${Math.floor(freeBytes / 1e6)} MB are free.`;
  } catch {
    return "The disk is full.";
  }
}
