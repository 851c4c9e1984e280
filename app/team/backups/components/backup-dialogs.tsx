import { ConfirmDialog } from "~/ui/confirm-dialog";

interface BackupDialogsProps {
  dialog: string | null;
  name: string | null;
  closeTo: string;
}

export function BackupDialogs({ dialog, name, closeTo }: BackupDialogsProps) {
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
  if (dialog === "restore" && name)
    return (
      <ConfirmDialog
        title="Restore this backup?"
        description={`${name} is verified first. The current state is backed up, or its files are kept if they are damaged, then replaced: later changes are lost, removed members and tokens come back, and everyone signs in again. The console restarts.`}
        closeTo={closeTo}
        intent="restore"
        values={{ id: name }}
        confirmLabel="Restore"
      />
    );
  if (dialog === "delete-backup" && name)
    return (
      <ConfirmDialog
        title="Delete this backup?"
        description={`${name} is deleted for good.`}
        closeTo={closeTo}
        intent="delete-backup"
        values={{ id: name }}
        confirmLabel="Delete"
      />
    );
  return null;
}
