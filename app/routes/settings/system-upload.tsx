import { useActionData } from "@remix-run/react";
import { intent, screen } from "~/http/screen.server";
import { BACKUP_UPLOAD_LIMITS } from "~/team/backups/backups.schema";
import { uploadBackup } from "~/team/backups/backups.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { pageTitle } from "~/ui/page-header";
import { UploadForm } from "~/ui/upload-form";

export const meta = pageTitle("Upload Backup", "Settings");

const BACK = "/settings/system";

const { loader, action } = screen({
  access: "backup.manage",
  actions: {
    submit: intent({
      access: "backup.manage",
      upload: BACKUP_UPLOAD_LIMITS,
      run: ({ actor, parts }) => uploadBackup(actor, parts),
      done: { to: `${BACK}#backups`, toast: "Backup uploaded" },
      failed: { dialog: "Couldn't upload the backup" },
    }),
  },
  back: () => BACK,
});

export { action, loader };

export default function SystemUpload() {
  const failed = useActionData<typeof action>()?.failed;
  return (
    <Card title="Upload Backup" className="max-w-xl">
      <UploadForm
        label="Backup"
        accept=".gz,application/gzip"
        submit="Upload"
        hint="Choose a .tar.gz of at most 1 GB. Copy larger files to the backups folder in the data folder."
        error={failed?.description}
        cancel={<LinkButton to={BACK}>Cancel</LinkButton>}
      />
    </Card>
  );
}
