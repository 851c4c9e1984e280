import { endpoint, reply, resource } from "~/http/resource.server";
import { CompactInput } from "~/team/backups/backups.schema";
import { startCompaction } from "~/team/backups/backups.service.server";

const route = resource({
  path: "/api/system/compact",
  tag: "System",
  POST: endpoint({
    summary: "Compact the database",
    description:
      "Queues a background job; the console restarts while the database is rewritten without free space.",
    access: "backup.manage",
    body: CompactInput,
    status: 202,
    handle: ({ actor }) => {
      startCompaction(actor);
      return reply({}, { status: 202 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
