import { existsSync, statfsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { dataDir, SECRET_NAMES } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { secret } from "~/core/secrets.server";
import { explainStorageFault, readUnlessDamaged } from "~/core/storage-faults.server";
import { append } from "~/platform/audit/audit.service.server";
import { continueRestoredTrail } from "~/platform/audit/verify.service.server";
import { publish } from "~/platform/events/events.service.server";
import { recheckCopies } from "~/platform/files/files.service.server";
import { forgetJobs } from "~/platform/jobs/enqueue.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { assertSetupLink } from "~/team/members/setup.service.server";
import { notifyFault } from "~/team/notifications/notify.service.server";
import { formatBytes } from "./archive-names";
import {
  backupFile,
  checkDatabase,
  compactDatabase,
  createBackup,
  receiveBackup,
  requestedBackup,
  requireBackup,
  sweepUnfinished,
} from "./backups.service.server";
import {
  backupPool,
  installation,
  isRestoring,
  requestRestart,
  whileRestoring,
} from "./maintenance.service.server";
import {
  applyRestore,
  bytesToReplace,
  clearStaged,
  finishRestore,
  planRestore,
  type RestorePlan,
  readPlan,
  stagedFolder,
  undoRestore,
  writeOutcome,
} from "./restore-files";

/** Restores were jobs; backups made by them have one that must not run again. */
const FORMER_RESTORE = { kind: "backups.restore" };

type RestoreRequest = Pick<RestorePlan, "name" | "means" | "userId"> & {
  archive?: string;
};

/**
 * Unpacks and verifies a backup for the next start.
 * @returns a function that plans the restore, and says where to keep the replaced files if they have no backup
 * @throws AppError `unprocessable` for a damaged, newer or too old backup
 */
export async function prepareRestore({
  name,
  archive = backupFile(name),
  ...request
}: RestoreRequest): Promise<(keptIn?: string) => void> {
  clearStaged(dataDir());
  const { migrations } = installation();
  const { manifest } = await backupPool.run({
    kind: "extract",
    archive,
    target: stagedFolder(dataDir()),
    migrations: [...migrations],
  });
  if (!manifest) throw new AppError("internal", "The backup's manifest is missing.");
  return (keptIn) => {
    assertRoom();
    planRestore(dataDir(), { name, ...request, manifest, ...(keptIn ? { keptIn } : {}) });
  };
}

function assertRoom(): void {
  const { bavail, bsize } = statfsSync(dataDir());
  const needed = bytesToReplace(dataDir());
  if (bavail * bsize >= needed) return;
  clearStaged(dataDir());
  throw new AppError(
    "unavailable",
    `The disk has ${formatBytes(bavail * bsize)} free, and the restore needs ${formatBytes(needed)}. Free some space.`,
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A damaged trail must not keep anybody from restoring: the restored one records it too. */
function recordDespiteDamage(actor: Actor, entry: Parameters<typeof append>[2]): void {
  readUnlessDamaged(() => transaction((tx) => void append(tx, actor, entry)), undefined);
}

/** @returns whether the present state, which may be damaged, has a backup now */
async function backUpPresent(actor: Actor): Promise<boolean> {
  try {
    const { name, bytes } = await createBackup("before-restore");
    recordDespiteDamage(actor, {
      action: "backup.created",
      resource: `backup:${name}`,
      details: { name, bytes },
    });
    return true;
  } catch (error) {
    log.warn("the state before a restore can't be backed up; its files are kept", { error });
    return false;
  }
}

async function restore(actor: Actor, name: string): Promise<void> {
  try {
    const confirm = await prepareRestore({ name, means: "restore", userId: actor.userId });
    confirm((await backUpPresent(actor)) ? undefined : newReplacedFolder());
  } catch (error) {
    if (!(error instanceof AppError)) log.error("a restore failed", { error });
    writeOutcome(dataDir(), {
      work: "restore",
      ok: false,
      message: `${name} was not restored. ${messageOf(explainStorageFault(error))}`,
    });
    return;
  }
  requestRestart();
}

/**
 * Verifies the backup, backs up the current state and restarts the console, in the background. It is no job: the table
 * of jobs may be what is damaged.
 * @throws AppError `forbidden`, `not_found`, `conflict` while another restore runs
 */
export async function startRestore(actor: Actor, name: string): Promise<void> {
  authorise(actor, "backup.manage");
  await requireBackup(name);
  if (isRestoring()) throw new AppError("conflict", "A restore is already running. Wait until it ends.");
  recordDespiteDamage(actor, {
    action: "restore.requested",
    resource: `backup:${name}`,
    details: { name },
  });
  void whileRestoring(() => restore(actor, name)).then(() => publish({ topic: "jobs", orgId: actor.orgId }));
  publish({ topic: "jobs", orgId: actor.orgId });
}

export async function importInstallation(
  secret: string,
  parts: Parameters<typeof receiveBackup>[0],
): Promise<void> {
  assertSetupLink(secret);
  const { name } = await receiveBackup(parts);
  const confirm = await prepareRestore({ name, means: "import", userId: null });
  // Setup may have been closed during the upload.
  assertSetupLink(secret);
  confirm();
  requestRestart();
}

const RESULTS = { restore: "was restored", import: "was imported" } as const;

/** A replica follows a file that no longer has the name. */
function describeReplica(databases: readonly string[]): string {
  const replicated = databases.filter((name) => existsSync(join(dataDir(), `.${name}-litestream`)));
  if (replicated.length === 0) return "";
  return ` Litestream can't follow ${replicated.join(" and ")}, which is a new file: stop it, run \`litestream reset\` for ${replicated.length > 1 ? "each of them" : "it"}, and start it again.`;
}

function writeRestoreOutcome(
  { name, means, keptIn, present, putAside }: RestorePlan,
  problem?: string,
): void {
  const message = problem
    ? `${name} was not restored, and the earlier state was kept. ${problem}${describeReplica(putAside)}`
    : `${name} ${RESULTS[means]}.${
        keptIn && present.length > 0
          ? ` The files it replaced had no backup and are kept in ${keptIn} of the data folder for ${REPLACED_DAYS} days.`
          : ""
      }${describeReplica(putAside)}`;
  writeOutcome(dataDir(), { work: "restore", ok: problem === undefined, message });
}

export const stateOfRestore = (): RestorePlan["state"] | undefined => readPlan(dataDir())?.state;

export interface StartedRestore {
  /** Call once the restored database is open and migrated. */
  adopt(): Promise<void>;
  /** Restores the previous state, whose database must not be open. */
  undo(error: unknown): Promise<void>;
  /** Deletes the previous state. Call once the console responds. */
  finish(): void;
}

/** Applies a planned restore, or undoes an interrupted one, before the database is opened. */
export async function beginRestore(): Promise<StartedRestore | undefined> {
  const folder = dataDir();
  await sweepUnfinished();
  const wasUnpacking = existsSync(stagedFolder(folder));
  const { plan, interrupted } = await applyRestore(folder);
  if (interrupted) {
    log.error("a restore was interrupted; the previous state was brought back", { reason: interrupted.name });
    writeRestoreOutcome(interrupted, "The console stopped before the restored one responded.");
  }
  if (!plan && !interrupted && wasUnpacking)
    writeOutcome(folder, {
      work: "restore",
      ok: false,
      message: "The console stopped during a restore. Nothing was changed.",
    });
  if (!plan) return undefined;
  const { name, means, manifest } = plan;
  return {
    adopt: async () => {
      const orgId = installationOrgId();
      if (orgId === undefined) throw new AppError("unprocessable", "The backup has no organization.");
      // Backups bring none of them: what they protected in another data folder is connected again.
      for (const file of SECRET_NAMES) secret(file);
      const fault = await continueRestoredTrail(manifest.auditKey, (tx) => {
        // The backup contains the job that made it.
        forgetJobs(tx, [requestedBackup, compactDatabase, checkDatabase, FORMER_RESTORE]);
        recheckCopies(tx);
        append(
          tx,
          { userId: plan.userId ?? "system", orgId },
          {
            action: "backup.restored",
            resource: `backup:${name}`,
            details: { name, createdAt: manifest.createdAt, version: manifest.version, means },
          },
        );
      });
      if (fault === undefined) return;
      log.error(fault, { reason: "entries" });
      notifyFault("entries", fault);
    },
    undo: async (error) => {
      log.error("a restored database could not be started; the previous state is brought back", { error });
      const putAside = await undoRestore(folder, plan);
      writeRestoreOutcome({ ...plan, putAside }, messageOf(error));
    },
    finish: () => {
      writeRestoreOutcome(plan);
      finishRestore(folder);
    },
  };
}

// Files that a restore replaced and that had no backup, each time in a folder named by its time.

export const REPLACED_DAYS = 30;

const FOLDER = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z$/;

export const newReplacedFolder = () =>
  `replaced/${new Date(now()).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

/** Deletes replaced files after their time; folders with other names stay. */
export async function pruneReplaced(): Promise<void> {
  const folder = join(dataDir(), "replaced");
  const before = now() - REPLACED_DAYS * 24 * 60 * 60_000;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, hour, minute, second] = FOLDER.exec(name) ?? [];
    if (hour && Date.parse(`${hour}:${minute}:${second}Z`) < before)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
