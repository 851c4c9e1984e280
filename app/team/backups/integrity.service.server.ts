import { statSync } from "node:fs";
import { join } from "node:path";
import { describeRecovery } from "~/core/data-faults.server";
import { dataDir } from "~/core/env.server";
import { type CheckExtent, findCorruption } from "~/core/integrity-check.server";
import { log } from "~/core/log.server";
import { recordCheck } from "~/core/storage-faults.server";
import { bundledWorker, ProcessPool } from "~/core/worker-pool.server";
import { DATABASE, WORKSPACE } from "./archive-names";
import { BackupOutcome, type BackupTask } from "./backup-task";
import { MAINTENANCE_TIMEOUT } from "./maintenance.service.server";

const FILES = [DATABASE, WORKSPACE] as const;
/** Size up to which a file is checked before the console answers, in bytes: some tenths of a second. */
const SMALL = 32 * 1024 * 1024;
const MEMORY_MB = 256;

/** Apart from backups, which would wait for it. A process, since SQLite's checks can't be interrupted in a thread. */
const checkPool = new ProcessPool<BackupTask, BackupOutcome>({
  name: "integrity",
  entry: bundledWorker("backup"),
  output: BackupOutcome,
  size: 1,
  timeoutMs: MAINTENANCE_TIMEOUT,
  memoryMb: () => MEMORY_MB,
});

const NAMES = { [DATABASE]: "database", [WORKSPACE]: "workspace database" } as const;

type DatabaseFile = (typeof FILES)[number];

/** @returns the finding in a sentence */
function report(name: DatabaseFile, finding: string | undefined): string[] {
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

/** Checks small databases at once and larger ones beside the running console. */
export function checkAtStart(): void {
  const sizes = FILES.map((name) => statSync(join(dataDir(), name), { throwIfNoEntry: false })?.size ?? 0);
  if (sizes.every((size) => size <= SMALL)) {
    for (const name of FILES) report(name, findCorruption(join(dataDir(), name), "quick"));
    return;
  }
  checkDatabases("quick").catch((error: unknown) => log.warn("the database could not be checked", { error }));
}
