import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import type { ReactNode } from "react";
import { z } from "zod";
import { EgressCard } from "~/console/settings/components/egress-card";
import { SettingsForm } from "~/console/settings/components/settings-form";
import { EgressEntry } from "~/console/settings/egress.schema";
import {
  allowEgress,
  disallowEgress,
  listEgressCalls,
  readEgressAllow,
} from "~/console/settings/egress.service.server";
import { measureStorage, readSystem, type StorageFigures } from "~/console/settings/system.service.server";
import type { Replica } from "~/core/replica.server";
import { readUnlessDamaged } from "~/core/storage-faults.server";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import type { FileCopies } from "~/platform/files/files.service.server";
import { FailedJobs, JobKinds } from "~/platform/jobs/components/job-cards";
import { listJobKinds, listJobPage, retryJob } from "~/platform/jobs/jobs.service.server";
import { may } from "~/platform/rights/authorization.server";
import { backups as backupSettings } from "~/platform/settings/groups/backups.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { readFormGroup, readSetting, saveFormGroup } from "~/platform/settings/settings.service.server";
import {
  deleteBackup,
  readBackups,
  startBackup,
  startCheck,
  startCompaction,
} from "~/team/backups/backups.service.server";
import { BackupDialogs, BackupsCard } from "~/team/backups/components/backups-card";
import { startRestore } from "~/team/backups/restore.service.server";
import { ErrorReports } from "~/team/errors/components/error-reports";
import { clearErrors, listErrors } from "~/team/errors/errors.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { FactList } from "~/ui/fact-list";
import { countOf, formatCount, formatDuration, formatSize } from "~/ui/format";
import { usePageAddress } from "~/ui/page-address";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { Cell, HeadCell, Table } from "~/ui/table";
import { RelativeTime } from "~/ui/time";

export const meta = pageTitle("System", "Settings");

/** Failed jobs and calls that are shown; the API lists all. */
const SHOWN = 50;

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
    failed: readUnlessDamaged(() => listJobPage(actor, { state: "failed", limit: SHOWN }).jobs, []),
    errors: readUnlessDamaged(() => listErrors(actor), []),
    keepsErrors: readSetting(actor.orgId, "monitoring.errorReporting"),
    backups: await readBackups(actor),
    schedule: may(actor, "backup.manage") ? readFormGroup(actor, "backups") : null,
    egress: may(actor, "egress.manage")
      ? { ...readEgressAllow(actor), calls: listEgressCalls(actor).slice(0, SHOWN) }
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
  const facts = {
    Version: system.version,
    "Node.js": system.node,
    SQLite: system.sqlite,
    "Data folder": system.dataDir,
    Disk: `${formatSize(system.diskFreeBytes)} free of ${formatSize(system.diskBytes)}`,
    Database: `${formatSize(system.databaseBytes)}, ${formatSize(system.freeBytes)} of it free`,
    "Write-ahead log": formatSize(system.logBytes),
    "Workspace database": formatSize(system.workspaceBytes),
    "Attachments and outputs": system.missingFiles ?? "None known to be missing",
    ...(system.copies ? { "Copies of files": describeCopies(system.copies) } : {}),
    "Memory in use": formatSize(system.memoryBytes),
    ...(system.replica ? { Replica: describeReplica(system.replica) } : {}),
    "Audit trail": system.auditProblem ?? "Intact",
    ...(system.vectorServer ? { Qdrant: system.vectorServer } : {}),
  };
  useLiveTopics(["jobs"], { isPaused: storage !== null });
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader title="System" subtitle="Check the versions and storage of this server" />
      <Card>
        <FactList facts={Object.entries(facts)} />
      </Card>
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
      {schedule && (
        <BackupDialogs
          dialog={dialog}
          backups={backups.backups ?? []}
          name={search.get("id")}
          closeTo={address()}
        />
      )}
    </div>
  );
}

function describeCopies({
  state,
  place,
  waiting,
  missing,
  lagMs,
  lastSuccessAt,
  error,
}: FileCopies): ReactNode {
  const failing = error === null ? "Failing" : `Failing: ${error.replace(/\.$/, "")}`;
  const label = { ok: waiting > 0 ? "Copying" : "Up to date", behind: "Late", failing }[state];
  const queue = waiting === 0 ? "" : `, ${formatCount(waiting)} waiting for ${formatDuration(lagMs)}`;
  const lost = missing === 0 ? "" : `, ${formatCount(missing)} in neither place`;
  return (
    <>
      {label}
      {queue}
      {lost}
      {lastSuccessAt !== null && (
        <>
          , last success <RelativeTime at={new Date(lastSuccessAt).toISOString()} style="running" />
        </>
      )}
      , at {place}
    </>
  );
}

function describeReplica({ state, url, lagMs, lastSuccessAt }: Replica): ReactNode {
  const last =
    lastSuccessAt === null ? (
      "no success yet"
    ) : (
      <>
        last success <RelativeTime at={new Date(lastSuccessAt).toISOString()} style="running" />
      </>
    );
  const lag = lagMs === null ? "" : `, ${formatCount(Math.round(lagMs / 1000))} s behind`;
  const label = {
    ok: lastSuccessAt === null ? "Starting" : "Up to date",
    behind: "Doesn't follow",
    unknown: "Litestream doesn't answer",
  }[state];
  return (
    <>
      {label}
      {lag}, {last}, at {url}
    </>
  );
}

const STATES: Readonly<Record<string, string>> = {
  building: "Building",
  ready: "Awaiting approval",
  serving: "Active",
  cancelled: "Canceled",
  failed: "Failed",
};

/** Measured on demand, since it reads the whole file. */
function StorageCard({ figures }: { figures: StorageFigures | null }) {
  return (
    <Card
      id="storage"
      title="Storage"
      description="See which data takes up the database, and the generations of the search index"
      actions={
        figures === null && (
          <LinkButton to="?storage=1" preventScrollReset size="sm">
            Measure
          </LinkButton>
        )
      }
    >
      {figures === null ? (
        <p className="text-muted text-sm">Measuring reads the whole database and can take a minute.</p>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-muted text-sm">
            {countOf(figures.documents, "document")}, {countOf(figures.passages, "passage")}, measured{" "}
            <RelativeTime at={figures.measuredAt} style="running" />
          </p>
          <Table caption="Space by kind of data">
            <thead>
              <tr>
                <HeadCell>Data</HeadCell>
                <HeadCell align="right">Size</HeadCell>
              </tr>
            </thead>
            <tbody>
              {figures.shares.map(({ label, bytes }) => (
                <tr key={label}>
                  <Cell>{label}</Cell>
                  <Cell align="right">{formatSize(bytes)}</Cell>
                </tr>
              ))}
            </tbody>
          </Table>
          {figures.indexes.length > 0 && <Generations indexes={figures.indexes} />}
        </div>
      )}
    </Card>
  );
}

function Generations({ indexes }: Pick<StorageFigures, "indexes">) {
  return (
    <Table caption="Generations of the search index" stacks>
      <thead>
        <tr>
          <HeadCell>Index</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell align="right">Documents</HeadCell>
          <HeadCell align="right">Passages</HeadCell>
          <HeadCell align="right">Size</HeadCell>
        </tr>
      </thead>
      <tbody>
        {indexes.map(({ id, state, model, documents, passages, bytes }) => (
          <tr key={id}>
            <Cell className="min-w-44">
              {id} · {model ?? "Keywords only"}
            </Cell>
            <Cell label="State">{STATES[state] ?? state}</Cell>
            <Cell label="Documents" align="right">
              {formatCount(documents)}
            </Cell>
            <Cell label="Passages" align="right">
              {formatCount(passages)}
            </Cell>
            <Cell label="Size" align="right">
              {formatSize(bytes)}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
