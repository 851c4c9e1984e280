import { AppError } from "~/core/errors";
import { ProcessPool } from "~/core/process-pool.server";
import { bundledWorker } from "~/core/worker-pool.server";
import { BackupOutcome, type BackupTask } from "./backup-task";

/** How long one backup, check or compaction may take, in ms. */
export const LONGEST_WORK = 60 * 60_000;
const MEMORY_MB = 512;

/** In a process of its own: it reads untrusted archives, and copying would hold up the console's event loop. */
export const backupPool = new ProcessPool<BackupTask, BackupOutcome>({
  name: "backup",
  entry: bundledWorker("backup"),
  output: BackupOutcome,
  size: 1,
  timeoutMs: LONGEST_WORK,
  memoryMb: () => MEMORY_MB,
});

interface Installation {
  /** Hashes of the migrations that this version knows, in their order. */
  migrations: readonly string[];
  version: string;
  /** Stops everything but the listening socket, does the work, and starts again. */
  restart(work: () => Promise<void>): Promise<void>;
}

let current: Installation | undefined;

/** Hands in what only the process's entry knows, at the start. */
export function describeInstallation(installation: Installation): void {
  current = installation;
}

/** The console's version; undefined outside of a running console, as in a script. */
export const installedVersion = () => current?.version;

/** @throws AppError `unavailable` outside of a running console, as in a script */
export function installation(): Installation {
  if (!current) throw new AppError("unavailable", "This needs a running console.");
  return current;
}

/** Begins a restart after the caller's own work has ended. */
export function requestRestart(work: () => Promise<void> = async () => undefined): void {
  const { restart } = installation();
  setImmediate(() => void restart(work));
}
