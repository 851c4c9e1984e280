import { download } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { BackupId } from "~/team/backups/backups.schema";
import { deleteBackup, openBackup } from "~/team/backups/backups.service.server";

const route = resource({
  path: "/api/system/backups/{id}",
  tag: "System",
  GET: endpoint({
    summary: "Download a backup",
    access: "backup.manage",
    params: BackupId,
    produces: "application/octet-stream",
    handle: async ({ actor, params, context }) => download(context, await openBackup(actor, params.id)),
  }),
  DELETE: endpoint({
    summary: "Delete a backup",
    access: "backup.manage",
    params: BackupId,
    status: 204,
    handle: ({ actor, params }) => deleteBackup(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
