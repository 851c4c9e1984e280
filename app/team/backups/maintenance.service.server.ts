import { statSync } from "node:fs";
import { join } from "node:path";
import { runLater, runNext } from "~/core/background.server";
import { describeRecovery } from "~/core/data-faults.server";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { type CheckExtent, findCorruption } from "~/core/integrity-check.server";
import { log } from "~/core/log.server";
import { findDamage, recordCheck } from "~/core/storage-faults.server";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { readFileCopies } from "~/platform/files/files.service.server";
import { DATABASE, WORKSPACE } from "./archive-names";
import { BackupOutcome, type BackupTask } from "./backup-task";

/** Time limit of a backup, check or compaction, in ms. */
export const MAINTENANCE_TIMEOUT = 60 * 60_000;

const newPool = (name: string, memoryMb: number) =>
  new ProcessPool<BackupTask, BackupOutcome>({
    name,
    entry: bundledWorker("backup"),
    output: BackupOutcome,
    size: 1,
    timeoutMs: MAINTENANCE_TIMEOUT,
    memoryMb: () => memoryMb,
  });

/** In a separate process: it reads untrusted archives, and copying would block the event loop. */
export const backupPool = newPool("backup", 512);
/** Apart from backups, which would wait for it. A process, since SQLite's checks can't be interrupted in a thread. */
const checkPool = newPool("integrity", 256);

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

const FILES = [DATABASE, WORKSPACE] as const;
const NAMES = { [DATABASE]: "database", [WORKSPACE]: "workspace database" } as const;
/** Size up to which a file is checked before the console answers, in bytes: some tenths of a second. */
const SMALL = 32 * 1024 * 1024;

/** @returns the finding in a sentence */
function report(name: (typeof FILES)[number], finding: string | undefined): string[] {
  recordCheck(name, finding);
  if (finding === undefined) return [];
  const file = join(dataDir(), name);
  log.error(`The ${NAMES[name]} is damaged. To go on, ${describeRecovery(dataDir())}.`, {
    file,
    reason: finding,
  });
  return [`The ${NAMES[name]} ${file} is damaged: ${finding}.`];
}

/** Checks the databases in a process of its own. @returns what was found, a sentence each */
export async function checkDatabases(extent: CheckExtent, signal?: AbortSignal): Promise<string[]> {
  const findings: string[] = [];
  for (const name of FILES) {
    const database = join(dataDir(), name);
    const { finding } = await checkPool.run({ kind: "check", database, extent }, signal);
    findings.push(...report(name, finding));
  }
  return findings;
}

let missing: string | undefined;

/** What the last check found; undefined if no file was missing or none was checked yet. */
export const describeMissingFiles = () => missing;

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Counts the files of attachments and outputs that are gone, in a process of its own. @returns it in a sentence */
export async function checkFiles(signal?: AbortSignal): Promise<string[]> {
  // A damaged database doesn't say what is missing.
  if (findDamage() !== undefined) return [];
  const found = await checkPool.run(
    { kind: "files", dataDir: dataDir(), hasCopies: readFileCopies() !== undefined },
    signal,
  );
  const { attachments = 0, outputs = 0 } = found.missing ?? {};
  const parts = [
    ...(attachments > 0 ? [`${counted(attachments, "file")} of attachments`] : []),
    ...(outputs > 0 ? [`${counted(outputs, "output")} of workflow steps`] : []),
  ];
  missing =
    parts.length === 0
      ? undefined
      : `${parts.join(" and ")} ${attachments + outputs === 1 ? "is" : "are"} missing. Copy the folders attachments and runs from a backup or another copy of the data folder.`;
  if (missing !== undefined) log.error(missing, { file: dataDir() });
  return missing === undefined ? [] : [missing];
}

/** After the start, which it shouldn't slow down, in ms. */
const FILES_CHECK_DELAY = 60_000;

/**
 * Checks small databases at once and larger ones beside the running console, and the files beside them a minute later.
 * @returns a function to stop
 */
export function checkAtStart(): () => void {
  const files = runLater("the check for missing files", FILES_CHECK_DELAY, () => checkFiles());
  checkDatabasesAtStart();
  return () => clearTimeout(files);
}

function checkDatabasesAtStart(): void {
  const sizes = FILES.map((name) => statSync(join(dataDir(), name), { throwIfNoEntry: false })?.size ?? 0);
  if (sizes.every((size) => size <= SMALL)) {
    for (const name of FILES) report(name, findCorruption(join(dataDir(), name), "quick"));
    return;
  }
  checkDatabases("quick").catch((error: unknown) => log.warn("the database could not be checked", { error }));
}
