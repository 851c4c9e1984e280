import { Form } from "@remix-run/react";
import { Archive, Download, RotateCcw, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { formatSize } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { BackupProgress, BackupView, MaintenanceOutcome } from "../backups.schema";

interface BackupsCardProps {
  backups: readonly BackupView[] | null;
  active: "create" | "restore" | "compact" | "check" | null;
  progress: BackupProgress | null;
  outcome: MaintenanceOutcome | null;
  mayManage: boolean;
  dialogTo: (dialog: string, name?: string) => string;
}

const KINDS = {
  manual: "Manual",
  scheduled: "Scheduled",
  "before-restore": "Before a restore",
  uploaded: "Uploaded",
  other: "File",
} as const;

const ACTIVE = {
  create: "A backup is being written.",
  restore: "A restore is running. The console restarts when it is ready, and everyone signs in again.",
  compact: "The console restarts to compact the database.",
  check: "The database is being checked. A large one takes minutes.",
} as const;

const progressText = ({ step, done, total }: BackupProgress) =>
  `${formatSize(done)} of ${formatSize(total)} ${step === "copying" ? "copied" : "compressed"}.`;

export function BackupsCard({ backups, active, progress, outcome, mayManage, dialogTo }: BackupsCardProps) {
  return (
    <Card
      id="backups"
      title="Backups"
      description="Back up, download, restore and move this installation"
      actions={mayManage && <BackUp active={active} />}
      footer={<Maintenance active={active} mayManage={mayManage} dialogTo={dialogTo} />}
    >
      <div className="flex flex-col gap-3">
        {active && (
          <Notice>
            {ACTIVE[active]} {progress && progressText(progress)}
          </Notice>
        )}
        {outcome && !active && (
          <Notice kind={outcome.ok ? "success" : "danger"}>
            {outcome.message} <RelativeTime at={outcome.at} />
          </Notice>
        )}
        {backups === null ? (
          <p className="text-muted text-sm">Only owners see the backups.</p>
        ) : backups.length === 0 ? (
          <p className="text-muted text-sm">No backups yet.</p>
        ) : (
          <RowList label="Backups">
            {backups.map((backup) => (
              <BackupRow key={backup.name} backup={backup} mayManage={mayManage} dialogTo={dialogTo} />
            ))}
          </RowList>
        )}
        <Contents />
      </div>
    </Card>
  );
}

const BackUp = ({ active }: Pick<BackupsCardProps, "active">) => (
  <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
    <LinkButton to="/settings/system/upload" size="sm">
      Upload Backup
    </LinkButton>
    <Button size="sm" name="intent" value="back-up" pending={active !== null && active !== "check"}>
      Back Up Now
    </Button>
  </Form>
);

const Maintenance = ({
  active,
  mayManage,
  dialogTo,
}: Pick<BackupsCardProps, "active" | "mayManage" | "dialogTo">) => (
  <Form method="post" preventScrollReset className="flex flex-wrap gap-2">
    <Button size="sm" name="intent" value="check" pending={active === "check"}>
      Check Database
    </Button>
    {mayManage && (
      <LinkButton to={dialogTo("compact")} preventScrollReset size="sm">
        Compact Database
      </LinkButton>
    )}
  </Form>
);

function BackupRow({
  backup: { name, kind, bytes, createdAt },
  mayManage,
  dialogTo,
}: Pick<BackupsCardProps, "mayManage" | "dialogTo"> & { backup: BackupView }) {
  const actions = [
    {
      label: "Download",
      icon: <Download />,
      to: `/settings/system/backups/${encodeURIComponent(name)}`,
      reloadDocument: true,
    },
    { label: "Restore", icon: <RotateCcw />, to: dialogTo("restore", name) },
    { label: "Delete", icon: <Trash2 />, to: dialogTo("delete-backup", name) },
  ];
  return (
    <Row
      name={name}
      icon={<Archive aria-hidden="true" />}
      badges={<Badge>{KINDS[kind]}</Badge>}
      meta={
        <>
          {formatSize(bytes)} · <RelativeTime at={createdAt} />
        </>
      }
      {...(mayManage ? { actions } : {})}
    />
  );
}

const Contents = () => (
  <details className="text-muted text-xs">
    <summary className="disclosure cursor-pointer py-1">Contents of a backup</summary>
    <p className="mt-1 text-pretty">
      Everything in the data folder: members with their password hashes, settings, keys as references, chats,
      documents with their files and indexes, workflows with runs and outputs, the workspace database, usage
      and the audit trail. Not included: sessions, the values of environment variables, and the files{" "}
      <code>session.secret</code> and <code>audit.key</code>. Vectors in Qdrant are rebuilt.
    </p>
  </details>
);

interface BackupDialogsProps {
  dialog: string | null;
  backups: readonly BackupView[];
  name: string | null;
  closeTo: string;
}

export function BackupDialogs({ dialog, backups, name, closeTo }: BackupDialogsProps) {
  if (dialog === "compact")
    return (
      <ConfirmDialog
        title="Compact the database?"
        description="The console restarts and is not available while the database is rewritten without its free space. Running work continues afterwards."
        closeTo={closeTo}
        intent="compact"
        confirmLabel="Compact"
      />
    );
  if (dialog !== "restore" && dialog !== "delete-backup") return null;
  if (!name || !backups.some((backup) => backup.name === name))
    return <MissingDialog message="Backup not found. It may have been deleted." closeTo={closeTo} />;
  if (dialog === "restore")
    return (
      <ConfirmDialog
        title="Restore this backup?"
        description={`The file ${name} is verified first. The current state is backed up, or its files are kept if they are damaged, then replaced: later changes are lost, removed members and tokens come back, and everyone signs in again. The console restarts.`}
        closeTo={closeTo}
        intent="restore"
        values={{ id: name }}
        confirmLabel="Restore"
      />
    );
  return (
    <ConfirmDialog
      title="Delete this backup?"
      description={`The file ${name} is deleted for good.`}
      closeTo={closeTo}
      intent="delete-backup"
      values={{ id: name }}
      confirmLabel="Delete"
    />
  );
}
