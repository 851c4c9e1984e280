import { download } from "~/http/download.server";
import { screen } from "~/http/screen.server";
import { openBackup } from "~/team/backups/backups.service.server";

const { loader } = screen({
  access: "backup.manage",
  load: async ({ actor, params, context }) => download(context, await openBackup(actor, params.name ?? "")),
});

export { loader };
