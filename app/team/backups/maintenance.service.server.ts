import { runNext } from "~/core/background.server";
import { AppError } from "~/core/errors";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { BackupOutcome, type BackupTask } from "./backup-task";

/** Time limit of a backup, check or compaction, in ms. */
export const MAINTENANCE_TIMEOUT = 60 * 60_000;
const MEMORY_MB = 512;

/** In a separate process: it reads untrusted archives, and copying would block the event loop. */
export const backupPool = new ProcessPool<BackupTask, BackupOutcome>({
  name: "backup",
  entry: bundledWorker("backup"),
  output: BackupOutcome,
  size: 1,
  timeoutMs: MAINTENANCE_TIMEOUT,
  memoryMb: () => MEMORY_MB,
});

interface Installation {
  migrations: readonly string[];
  version: string;
  /** Stops everything but the listening socket, runs `work` and starts again. */
  restart(work: () => Promise<void>): Promise<void>;
}

let current: Installation | undefined;
let isRestarting = false;

export function describeInstallation(installation: Installation): void {
  current = installation;
  isRestarting = false;
}

/** Undefined outside a running console, as in a script. */
export const installedVersion = () => current?.version;

export function installation(): Installation {
  if (!current) throw new AppError("unavailable", "This needs a running console.");
  return current;
}

/** Restarts once the caller has returned. A restart that has begun applies a planned restore too. */
export function requestRestart(work: () => Promise<void> = async () => undefined): void {
  const { restart } = installation();
  if (isRestarting) return;
  isRestarting = true;
  runNext("a restart", () => restart(work));
}

let restoring = false;

export const isRestoring = () => restoring;

export async function whileRestoring(work: () => Promise<void>): Promise<void> {
  restoring = true;
  try {
    await work();
  } finally {
    restoring = false;
  }
}
