import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { z } from "zod";
import { EgressCard } from "~/console/settings/components/egress-card";
import { FactsCard } from "~/console/settings/components/facts-card";
import { SettingsForm } from "~/console/settings/components/settings-form";
import { StorageCard } from "~/console/settings/components/storage-card";
import { EgressEntry } from "~/console/settings/egress.schema";
import {
  allowEgress,
  disallowEgress,
  listEgressCalls,
  readEgressAllow,
} from "~/console/settings/egress.service.server";
import { measureStorage } from "~/console/settings/storage.service.server";
import { readSystem } from "~/console/settings/system.service.server";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { FailedJobs, JobKinds } from "~/platform/jobs/components/job-cards";
import { listJobKinds, listJobPage, retryJob } from "~/platform/jobs/jobs.service.server";
import { may } from "~/platform/rights/authorization.server";
import { backups as backupSettings } from "~/platform/settings/groups/backups.schema";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { readFormGroup, saveFormGroup } from "~/platform/settings/update-settings.service.server";
import {
  deleteBackup,
  readBackups,
  startBackup,
  startCheck,
  startCompaction,
} from "~/team/backups/backups.service.server";
import { BackupDialogs } from "~/team/backups/components/backup-dialogs";
import { BackupsCard } from "~/team/backups/components/backups-card";
import { startRestore } from "~/team/backups/restore.service.server";
import { readUnlessDamaged } from "~/team/backups/storage-problems.service.server";
import { ErrorReports } from "~/team/errors/components/error-reports";
import { clearErrors, listErrors } from "~/team/errors/errors.service.server";
import { formatSize } from "~/ui/format";
import { usePageAddress } from "~/ui/page-address";
import { pageTitle } from "~/ui/page-header";

export const meta = pageTitle("System", "Settings");

/** Maximum shown; the API lists all. */
const FAILED_SHOWN = 50;
/** Maximum shown; the API lists all. */
const CALLS_SHOWN = 50;

const BackupsForm = z.object({
  ...formShape(backupSettings.fields),
  version: SettingsVersion,
});

const { loader, action } = screen({
  access: "settings.manage",
  load: async ({ actor, url }) => ({
    system: await readSystem(actor),
    storage: url.searchParams.has("storage") ? await measureStorage(actor) : null,
    // Backups are restored here, so the screen shows without what is damaged.
    kinds: readUnlessDamaged(() => listJobKinds(actor), []),
    failed: readUnlessDamaged(() => listJobPage(actor, { state: "failed", limit: FAILED_SHOWN }).jobs, []),
    errors: readUnlessDamaged(() => listErrors(actor), []),
    keepsErrors: readSetting(actor.orgId, "monitoring.errorReporting"),
    backups: await readBackups(actor),
    schedule: may(actor, "backup.manage") ? readFormGroup(actor, "backups") : null,
    egress: may(actor, "egress.manage")
      ? { ...readEgressAllow(actor), calls: listEgressCalls(actor).slice(0, CALLS_SHOWN) }
      : null,
  }),
  actions: {
    retry: intent({
      access: "settings.manage",
      target: "id",
      run: ({ actor, target }) => retryJob(actor, target),
      done: ({ title }) => `Retrying: ${title}`,
      failed: { toast: "Couldn't retry" },
    }),
    "clear-errors": intent({
      access: "settings.manage",
      run: ({ actor }) => clearErrors(actor),
      done: "Error reports cleared",
      failed: { toast: "Couldn't clear the error reports" },
    }),
    "back-up": intent({
      access: "backup.manage",
      run: ({ actor }) => startBackup(actor),
      done: "Backup started",
      failed: { toast: "Couldn't back up" },
    }),
    restore: intent({
      access: "backup.manage",
      target: "id",
      run: ({ actor, target }) => startRestore(actor, target),
      done: "Restore started",
      failed: { dialog: "Couldn't restore" },
    }),
    "delete-backup": intent({
      access: "backup.manage",
      target: "id",
      run: ({ actor, target }) => deleteBackup(actor, target),
      done: "Backup deleted",
      failed: { dialog: "Couldn't delete the backup" },
    }),
    check: intent({
      access: "settings.manage",
      run: ({ actor }) => startCheck(actor),
      done: "Check started",
      failed: { toast: "Couldn't check the database" },
    }),
    compact: intent({
      access: "backup.manage",
      run: ({ actor }) => startCompaction(actor),
      done: "Compacting started",
      failed: { dialog: "Couldn't compact the database" },
    }),
    save: intent({
      access: "backup.manage",
      input: BackupsForm,
      run: ({ actor, input: { version, ...values } }) => saveFormGroup(actor, "backups", values, version),
      done: "Backup settings saved",
    }),
    "allow-host": intent({
      access: "egress.manage",
      input: EgressEntry,
      run: ({ actor, input }) => allowEgress(actor, input),
      done: ({ entry }) => `Allowed: ${entry}`,
    }),
    "disallow-host": intent({
      access: "egress.manage",
      input: EgressEntry,
      run: ({ actor, input }) => disallowEgress(actor, input),
      done: ({ entry }) => `Removed: ${entry}`,
      failed: { toast: "Couldn't remove" },
    }),
  },
});

export { action, loader };

export default function System() {
  const { system, storage, kinds, failed, errors, keepsErrors, backups, schedule, egress } =
    useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  // Of the page's two forms, only the settings have a version.
  const isOfSettings = result?.initialValue?.version !== undefined;
  const [search] = useSearchParams();
  const address = usePageAddress();
  const dialog = search.get("dialog");
  useLiveTopics(["jobs"], { isPaused: storage !== null });
  return (
    <div className="flex flex-col gap-4">
      <FactsCard
        title="System"
        description="Check the versions and storage of this server"
        facts={[
          ["Version", system.version],
          ["Node.js", system.node],
          ["SQLite", system.sqlite],
          ["Data folder", system.dataDir],
          ["Disk", `${formatSize(system.diskFreeBytes)} free of ${formatSize(system.diskBytes)}`],
          ["Database", `${formatSize(system.databaseBytes)}, ${formatSize(system.freeBytes)} of it free`],
          ["Write-ahead log", formatSize(system.logBytes)],
          ["Workspace database", formatSize(system.workspaceBytes)],
          ["Memory in use", formatSize(system.memoryBytes)],
          ["Audit trail", system.auditProblem ?? "Intact"],
        ]}
      />
      <StorageCard figures={storage} />
      <BackupsCard
        {...backups}
        mayManage={schedule !== null}
        dialogTo={(name, id) => address({ dialog: name, id })}
      />
      {schedule && (
        <SettingsForm
          cards={[{ title: "Backup Schedule", fields: schedule.fields, values: schedule.values }]}
          versions={{ version: schedule.version }}
          save="Save Backup Settings"
          failed="Failed to save backup settings"
          result={isOfSettings ? result : undefined}
        />
      )}
      {egress && <EgressCard {...egress} result={isOfSettings ? undefined : result} />}
      <JobKinds kinds={kinds} />
      <FailedJobs jobs={failed} />
      <ErrorReports errors={errors} isOn={keepsErrors} />
      {schedule && <BackupDialogs dialog={dialog} name={search.get("id")} closeTo={address()} />}
    </div>
  );
}
