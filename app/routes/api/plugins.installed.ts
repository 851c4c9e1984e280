import { InstalledPlugin } from "~/features/plugins/plugins.schema";
import { listInstalled } from "~/features/plugins/plugins.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/plugins/installed",
  tag: "Plugins",
  GET: endpoint({
    summary: "List installed plugins",
    access: "screens.read",
    response: InstalledPlugin.array(),
    handle: ({ actor }) => listInstalled(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
