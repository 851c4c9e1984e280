import { BackupId } from "~/features/backups/backups.schema";
import { startRestore } from "~/features/backups/backups.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/backups/{id}/restore",
  tag: "System",
  POST: endpoint({
    summary: "Restore a backup",
    description:
      "Queues a background job of the kind `backups.restore`: it verifies the backup, backs up the current state, and " +
      "restarts the console with the backup's. Every session ends.",
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
