import { endpoint, reply, resource } from "~/http/resource.server";
import { startCheck } from "~/team/backups/backups.service.server";

const route = resource({
  path: "/api/system/check",
  tag: "System",
  POST: endpoint({
    summary: "Check the databases for damage",
    description:
      "Queues a background job that runs SQLite's integrity check on both databases. `/api/health` shows what it finds.",
    access: "settings.manage",
    status: 202,
    handle: ({ actor }) => {
      startCheck(actor);
      return reply({}, { status: 202 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
