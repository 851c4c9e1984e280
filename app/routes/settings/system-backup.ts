import { openBackup } from "~/features/backups/backups.service.server";
import { download } from "~/http/download.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "backup.manage",
  load: async ({ actor, params, context }) => download(context, await openBackup(actor, params.name ?? "")),
});

export { loader };
