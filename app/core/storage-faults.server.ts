import { statfsSync } from "node:fs";
import { now } from "./clock.server";
import { dataDir } from "./env.server";
import { AppError, type StorageFault } from "./errors";

const MAX_CAUSES = 5;

const FAULTS: readonly (readonly [codes: RegExp, fault: StorageFault])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, "disk_full"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "damaged"],
];

/** Codes of the system and of SQLite in an error and its causes; drivers wrap them. */
export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth++) {
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    current = current.cause;
  }
  return codes;
}

export function findStorageFault(error: unknown): StorageFault | undefined {
  for (const code of codesOf(error)) {
    const fault = FAULTS.find(([codes]) => codes.test(code))?.[1];
    if (fault) return fault;
  }
  return undefined;
}

// Errors of the disk and of the database's file, as people read them and as the console's health shows them.

/** How long after a refused write the disk counts as full, in ms: a quota shows only there. */
const FULL_FOR = 60_000;
const DATABASE_DAMAGED = "The database is damaged. An owner can restore a backup under Settings › System.";

interface State {
  damage: Map<string, string>;
  fullAt: number | undefined;
  replica?: string | undefined;
  copies?: string | undefined;
}

const state: State = { damage: new Map(), fullAt: undefined };

const DATABASE = "quarterdeck.sqlite";

/** Records what a check found in a file of the data folder; undefined if it is intact. */
export function recordCheck(file: string, finding: string | undefined): void {
  if (finding === undefined) state.damage.delete(file);
  else state.damage.set(file, finding);
}

/** Records what is wrong with the replica; undefined if it follows. */
export function recordReplicaProblem(message: string | undefined): void {
  state.replica = message;
}

/** Records what is wrong with the copies of files; undefined if they follow. */
export function recordCopyProblem(message: string | undefined): void {
  state.copies = message;
}

export const findDamage = (file = DATABASE): string | undefined => state.damage.get(file);

export function isStorageFull(): boolean {
  return isDiskFull(dataDir()) || (state.fullAt !== undefined && now() - state.fullAt < FULL_FOR);
}

const listeners = new Set<() => void>();

/** Calls the listener for each write that a full disk refused. @returns a function to stop */
export function onDiskFull(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The error that people read of a fault, which is also recorded. */
export function storageError(fault: StorageFault, cause?: unknown): AppError {
  if (fault === "disk_full") {
    state.fullAt = now();
    for (const listener of listeners) listener();
    const isQuota = codesOf(cause).includes("EDQUOT");
    return new AppError(fault, isQuota ? "The disk quota is used up." : describeFullDisk(dataDir()), {
      cause,
    });
  }
  if (!state.damage.has(DATABASE))
    state.damage.set(DATABASE, cause instanceof Error ? cause.message : "a query failed");
  return new AppError(fault, DATABASE_DAMAGED, { cause });
}

/** @returns an AppError for a full disk and a damaged database; other errors stay */
export function explainStorageFault(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const fault = findStorageFault(error);
  if (fault) return storageError(fault, error);
  // SQLite calls some writes on a full disk errors of the disk.
  const isRefusedWrite = codesOf(error).some((code) => code.startsWith("SQLITE_IOERR"));
  return isRefusedWrite && isDiskFull(dataDir()) ? storageError("disk_full", error) : error;
}

export function isStorageFault(error: unknown): boolean {
  const explained = explainStorageFault(error);
  return explained instanceof AppError && (explained.code === "disk_full" || explained.code === "damaged");
}

/** Reads a part of a screen that can be left out, so that the rest shows if its table is damaged. */
export function readUnlessDamaged<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    const explained = explainStorageFault(error);
    if (explained instanceof AppError && explained.code === "damaged") return otherwise;
    throw error;
  }
}

/** For what a read notes on the way, such as a session's last use: it goes on when the disk is full. */
export function writeIfPossible(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isStorageFault(error)) throw error;
  }
}

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

const WORKSPACE = "workspace.db";

export interface StorageProblem {
  code: "database_damaged" | "workspace_damaged" | "disk_full" | "replica_behind" | "copies_behind";
  title: string;
  message: string;
}

const RESTORE = "An owner can restore a backup under Settings › System.";

export function findStorageProblems(): StorageProblem[] {
  const problems: StorageProblem[] = [];
  const database = findDamage();
  if (database !== undefined)
    problems.push({
      code: "database_damaged",
      title: "The database is damaged",
      message: `${RESTORE} Until then, some pages fail and new work may be lost. SQLite reports: ${database}`,
    });
  const workspace = findDamage(WORKSPACE);
  if (workspace !== undefined)
    problems.push({
      code: "workspace_damaged",
      title: "The workspace database is damaged",
      message: `${RESTORE} Until then, workflow steps that use it fail. SQLite reports: ${workspace}`,
    });
  if (isStorageFull())
    problems.push({
      code: "disk_full",
      title: "The disk is full",
      message: `${describeFullDisk(dataDir())} New work is refused. Free some space, for example by deleting backups or documents.`,
    });
  if (state.replica !== undefined)
    problems.push({ code: "replica_behind", title: "The replica doesn't follow", message: state.replica });
  if (state.copies !== undefined)
    problems.push({ code: "copies_behind", title: "Files aren't copied", message: state.copies });
  return problems;
}
