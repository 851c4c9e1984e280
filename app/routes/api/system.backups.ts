import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { BackupView } from "~/team/backups/backups.schema";
import { listBackups, startBackup } from "~/team/backups/backups.service.server";

const route = resource({
  path: "/api/system/backups",
  tag: "System",
  GET: endpoint({
    summary: "List the backups in the data folder",
    description: "Newest first.",
    access: "backup.manage",
    response: z.array(BackupView),
    handle: ({ actor }) => listBackups(actor),
  }),
  POST: endpoint({
    summary: "Back up now",
    description:
      "Queues a background job of the kind `backups.create`; the backup is listed once the job has finished.",
    access: "backup.manage",
    status: 202,
    handle: ({ actor }) => {
      startBackup(actor);
      return reply({}, { status: 202 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
