import { endpoint, reply, resource } from "~/http/resource.server";
import { BackupId } from "~/team/backups/backups.schema";
import { startRestore } from "~/team/backups/restore.service.server";

const route = resource({
  path: "/api/system/backups/{id}/restore",
  tag: "System",
  POST: endpoint({
    summary: "Restore a backup",
    description:
      "Works in the background: verifies the backup, backs up the current state, or keeps its files if it is damaged, and " +
      "restarts the console with the backup's. Every session ends. The list of backups shows the result.",
    access: "backup.manage",
    params: BackupId,
    status: 202,
    handle: async ({ actor, params }) => {
      await startRestore(actor, params.id);
      return reply({}, { status: 202 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
