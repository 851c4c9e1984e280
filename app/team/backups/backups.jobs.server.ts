import { stat, statfs } from "node:fs/promises";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { dataDir } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/platform/audit/audit.service.server";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { installationOrgId, readSetting } from "~/platform/settings/settings.service.server";
import { formatBytes } from "./archive-names";
import {
  checkDatabase,
  compactDatabase,
  createBackup,
  newestScheduledAt,
  pruneScheduled,
  requestedBackup,
  scheduledBackup,
} from "./backups.service.server";
import {
  backupPool,
  checkDatabases,
  checkFiles,
  MAINTENANCE_TIMEOUT,
  requestRestart,
} from "./maintenance.service.server";
import { pruneReplaced } from "./restore.service.server";
import { writeOutcome } from "./restore-files";

function recordBackup(actor: Actor, { name, bytes }: { name: string; bytes: number }): void {
  transaction((tx) =>
    append(tx, actor, { action: "backup.created", resource: `backup:${name}`, details: { name, bytes } }),
  );
}

const createJob = defineJob({
  ...requestedBackup,
  title: "Back up",
  timeoutMs: MAINTENANCE_TIMEOUT,
  async run({ actor, signal, progress }) {
    recordBackup(actor(), await createBackup("manual", signal, progress));
  },
});

const scheduledJob = defineJob({
  ...scheduledBackup,
  title: "Back up on schedule",
  timeoutMs: MAINTENANCE_TIMEOUT,
  schedule: { cron: "0 3 * * *", input: {} },
  async run({ actor, signal, progress }) {
    await pruneReplaced();
    const orgId = installationOrgId();
    if (orgId === undefined) return;
    const schedule = readSetting(orgId, "backups.schedule");
    if (schedule === "off") return;
    const last = await newestScheduledAt();
    // Half a day less than a week: clocks change, and a backup takes time.
    if (schedule === "weekly" && last !== undefined && now() - last < 6.5 * DAY) return;
    recordBackup({ ...actor(), orgId }, await createBackup("scheduled", signal, progress));
    await pruneScheduled(readSetting(orgId, "backups.keep"));
  },
});

const checkJob = defineJob({
  ...checkDatabase,
  title: "Check the database",
  timeoutMs: MAINTENANCE_TIMEOUT,
  schedule: { cron: "30 4 * * *", input: {} },
  async run({ actor, signal }) {
    const findings = [...(await checkDatabases("full", signal)), ...(await checkFiles(signal))];
    // The daily check leaves the result of a restore in its place.
    if (actor().kind === "system" && findings.length === 0) return;
    writeOutcome(dataDir(), {
      work: "check",
      ok: findings.length === 0,
      message: findings.join(" ") || "The database was checked and is intact.",
    });
  },
});

async function compact(database: string): Promise<void> {
  try {
    const { bytes, followsLater } = await backupPool.run({ kind: "vacuum", database });
    const message = `The database is ${formatBytes(Math.max(0, bytes))} smaller.${
      followsLater
        ? " The file shrinks once another process that reads it, such as Litestream, lets go of the free pages."
        : ""
    }`;
    writeOutcome(dataDir(), { work: "compact", ok: true, message });
  } catch (error) {
    log.error("the database could not be compacted", { error });
    const message = "The database was not compacted. See the server log for the reason.";
    writeOutcome(dataDir(), { work: "compact", ok: false, message });
  }
}

const compactJob = defineJob({
  ...compactDatabase,
  title: "Compact the database",
  timeoutMs: MAINTENANCE_TIMEOUT,
  async run() {
    const database = rawDatabase().name;
    const { size } = await stat(database);
    const { bavail, bsize } = await statfs(dataDir());
    if (bavail * bsize < 2 * size)
      throw new AppError(
        "unprocessable",
        `Compacting needs ${formatBytes(2 * size)} and the disk has ${formatBytes(bavail * bsize)} free. Free some space.`,
      );
    requestRestart(() => compact(database));
  },
});

export const backupJobs: readonly JobKind[] = [createJob, scheduledJob, checkJob, compactJob];
