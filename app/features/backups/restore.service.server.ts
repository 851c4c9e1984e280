import { now } from "~/core/clock.server";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { continueRestoredTrail } from "~/features/audit/restored-trail.service.server";
import { forgetJobs } from "~/features/jobs/forget-jobs.service.server";
import { assertSetupLink } from "~/features/members/setup.service.server";
import { installationOrgId } from "~/features/settings/installation.service.server";
import { backupFile, receiveBackup, sweepUnfinished } from "./backups.service.server";
import { backupPool, installation, requestRestart } from "./maintenance.service.server";
import {
  applyRestore,
  clearStaged,
  finishRestore,
  planRestore,
  type RestorePlan,
  stagedFolder,
  undoRestore,
  writeOutcome,
} from "./restore-files";
import { compactType, createType, restoreType } from "./work-types";

/**
 * Unpacks and verifies a backup for the next start.
 * @throws AppError `unprocessable` for a damaged, newer or too old backup
 */
export async function prepareRestore(
  { name, ...request }: Pick<RestorePlan, "name" | "means" | "userId">,
  signal?: AbortSignal,
): Promise<() => void> {
  clearStaged(dataDir());
  const { migrations } = installation();
  const { manifest } = await backupPool.run(
    {
      kind: "extract",
      archive: backupFile(name),
      target: stagedFolder(dataDir()),
      migrations: [...migrations],
    },
    signal,
  );
  if (!manifest) throw new AppError("internal", "The backup's manifest is missing.");
  return () => planRestore(dataDir(), { name, ...request, manifest });
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

function writeRestoreOutcome({ name, means, manifest }: RestorePlan, problem?: string): void {
  const at = new Date(now()).toISOString();
  const message = problem
    ? `${name} was not restored, and the earlier state was kept. ${problem}`
    : `${name} of ${manifest.createdAt} ${RESULTS[means]}.`;
  writeOutcome(dataDir(), { work: "restore", ok: problem === undefined, at, message });
}

export interface StartedRestore {
  /** Call once the restored database is open and migrated. */
  adopt(): Promise<void>;
  /** Restores the previous state, whose database must not be open. */
  undo(error: unknown): void;
  /** Deletes the previous state. Call once the console responds. */
  finish(): void;
}

/** Applies a planned restore, or undoes an interrupted one, before the database is opened. */
export async function beginRestore(): Promise<StartedRestore | undefined> {
  const folder = dataDir();
  await sweepUnfinished();
  const { plan, interrupted } = applyRestore(folder);
  if (interrupted) {
    log.error("a restore was interrupted; the previous state was brought back", { reason: interrupted.name });
    writeRestoreOutcome(interrupted, "The console stopped before the restored one responded.");
  }
  if (!plan) return undefined;
  const { name, means, manifest } = plan;
  return {
    adopt: async () => {
      const orgId = installationOrgId();
      if (orgId === undefined) throw new AppError("unprocessable", "The backup has no organization.");
      await continueRestoredTrail(manifest.auditKey, (tx) => {
        // The backup contains the job that made it.
        forgetJobs(tx, [createType, restoreType, compactType]);
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
    },
    undo: (error) => {
      log.error("a restored database could not be started; the previous state was brought back", { error });
      undoRestore(folder, plan);
      writeRestoreOutcome(plan, error instanceof Error ? error.message : String(error));
    },
    finish: () => {
      writeRestoreOutcome(plan);
      finishRestore(folder);
    },
  };
}
